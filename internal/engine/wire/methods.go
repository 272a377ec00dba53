package wire

import "reflect"

// Method is one row of the table of requests. What the manual, the samples and the
// tests say of the protocol is held against it.
type Method struct {
	Name    string
	Params  reflect.Type // nil: none
	Result  reflect.Type
	Session bool // the parameters name a session
	Edit    bool // it changes something: parameters that are not known are refused, and it is sent once
}

func method[P, R any](name string, session, edit bool) Method {
	return Method{name, reflect.TypeFor[P](), reflect.TypeFor[R](), session, edit}
}

// None is the answer of a method that has nothing to tell: an empty object.
type None struct{}

var methods = []Method{
	method[Hello, HelloResult](MethodHello, false, false),
	{MethodInfo, nil, reflect.TypeFor[Info](), false, false},
	{MethodShutdown, nil, reflect.TypeFor[None](), false, false},
	method[Refresh, None](MethodRefresh, false, false),
	method[SessionOpen, SessionOpened](MethodSessionOpen, false, false),
	{MethodSessionList, nil, reflect.TypeFor[Sessions](), false, false},
	method[InSession, None](MethodSessionClose, true, true),

	method[ListServers, List](MethodList, true, false),
	method[InSession, Status](MethodStatus, true, false),
	method[Watch, Status](MethodWatch, true, false),
	method[InServer, None](MethodReconnect, true, false),
	method[Reload, Reloaded](MethodReload, true, true),
	method[Register, None](MethodRegister, true, true),
	method[Unregister, None](MethodUnregister, true, true),
	method[SetOverride, None](MethodSetSessionOverride, true, true),

	method[Add, Edit](MethodAdd, true, true),
	method[Update, Edit](MethodUpdate, true, true),
	method[Remove, Edit](MethodRemove, true, true),
	method[SetOverride, Edit](MethodSetProjectOverride, true, true),
	method[Approve, Approvals](MethodApprove, true, true),
	method[ShareWithRepo, Share](MethodShareWithRepo, true, true),
	method[InServer, Test](MethodTestConnection, true, false),

	method[Login, LoginFrame](MethodLogin, true, true),
	method[LoginReply, None](MethodLoginReply, true, true),
	method[LoginCancel, None](MethodLoginCancel, true, true),
	method[Logout, LoggedOut](MethodLogout, true, true),

	method[InServer, Tools](MethodListTools, true, false),
	method[CallTool, CallResult](MethodCallTool, true, false),
	method[InServer, Resources](MethodListResources, true, false),
	method[ReadResource, ResourceResult](MethodReadResource, true, false),
	method[InServer, Prompts](MethodListPrompts, true, false),
	method[GetPrompt, PromptResult](MethodGetPrompt, true, false),
	method[Complete, Completions](MethodComplete, true, false),
	method[ElicitReply, None](MethodElicitReply, false, false),
	method[SampleReply, None](MethodSampleReply, false, false),
	method[RootsReply, None](MethodRootsReply, false, false),
	method[InServer, Descriptions](MethodDescribe, true, false),
	method[Resource, None](MethodSubscribe, true, false),
	method[Resource, None](MethodUnsubscribe, true, false),
	method[SetRoots, None](MethodSetRoots, true, true),
	method[SetLogLevel, None](MethodSetLogLevel, true, false),

	method[ReadOutput, Output](MethodReadOutput, false, false),
	method[ReadLog, LogRecords](MethodReadLog, false, false),
}

// Methods returns the table of requests.
func Methods() []Method { return append([]Method(nil), methods...) }

// MethodNamed finds a row; the zero Method and false for a name this program does not
// know.
func MethodNamed(name string) (Method, bool) {
	for _, m := range methods {
		if m.Name == name {
			return m, true
		}
	}
	return Method{}, false
}

// Repeatable tells whether a request whose answer was lost may be sent again: it does
// no harm a second time.
func Repeatable(name string) bool {
	m, ok := MethodNamed(name)
	return ok && !m.Edit && name != MethodCallTool
}
