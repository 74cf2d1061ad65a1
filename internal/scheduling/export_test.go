package scheduling

// PlainFit is Fit without what makes it fast.
var PlainFit = (*Judge).plainFit
