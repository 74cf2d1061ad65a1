// Package guard answers whether naosu may do what it proposes: pure checks over facts that others gathered, all of which
// run, and the worst verdict wins. It knows no clock and no client; what is not known is never taken to be well.
package guard
