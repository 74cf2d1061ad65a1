package message

// Errors, by what the person can do about them.
const (
	ErrBadInput         ID = "ErrBadInput"         // field, problem, remedy
	ErrSeeHelp          ID = "ErrSeeHelp"          // command
	ErrNoCommand        ID = "ErrNoCommand"        // given, command
	ErrFlag             ID = "ErrFlag"             // problem
	ErrNoFlag           ID = "ErrNoFlag"           // flag
	ErrFlagValue        ID = "ErrFlagValue"        // flag
	ErrValue            ID = "ErrValue"            // given
	ErrKubeconfig       ID = "ErrKubeconfig"       // problem
	ErrKubeconfigRemedy ID = "ErrKubeconfigRemedy" //
	ErrNotOneOf         ID = "ErrNotOneOf"         // given
	ErrUseOneOf         ID = "ErrUseOneOf"         // choices
	ErrInterrupted      ID = "ErrInterrupted"      //
	ErrUnauthorized     ID = "ErrUnauthorized"     // host
	ErrForbidden        ID = "ErrForbidden"        // problem
	ErrAnswered         ID = "ErrAnswered"         // host, answer
	ErrTimeout          ID = "ErrTimeout"          // host
	ErrUnreachable      ID = "ErrUnreachable"      // host, problem
	ErrAskWhy           ID = "ErrAskWhy"           //
	ErrMissing          ID = "ErrMissing"          //
	ErrNoSubject        ID = "ErrNoSubject"        // given
)
