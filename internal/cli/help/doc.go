// Package help gives every command and flag its text in the person's language, and puts the help on a page. The texts are
// messages that a command's path or a flag's name finds: help/why, help/why/long, flag/why/unlike, flag/from.
package help
