// Package remediations is the verb that shows what naosu did and proposes: all of it as a table, with how far each policy
// has come towards acting by itself, or one with its forecast against what became of it, its steps and the guard's verdicts.
package remediations
