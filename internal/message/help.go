package message

// The headings of the help. The texts of commands and flags are found by their paths, such as help/why and flag/from, and
// have no names here; internal/cli tests that every command and flag has its own.
const (
	HelpUsage       ID = "HelpUsage"
	HelpExamples    ID = "HelpExamples"
	HelpCommands    ID = "HelpCommands"
	HelpFlags       ID = "HelpFlags"
	HelpGlobalFlags ID = "HelpGlobalFlags"
	HelpMore        ID = "HelpMore"    // command
	HelpDefault     ID = "HelpDefault" // value
)
