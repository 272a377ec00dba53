package client

// The order of the table is the order of precedence between clients (design §4).
var table = []Client{
	{
		Name: Native, Title: "mcpctl", User: UserDir{InConfigHome: true, Path: "mcp"}, UserFile: "mcp.json", ProjectFile: ".mcp.json",
		Servers: []string{"mcpServers"}, Names: NameRule{Extra: ".:", Max: 100}, Comments: true,
	},
	{
		Name: "pi", Title: "pi", User: UserDir{Root: ".pi", Path: "agent", DirVariable: "PI_CODING_AGENT_DIR"},
		UserFile: "mcp.json", ProjectFile: ".pi/mcp.json",
		Servers: []string{"mcpServers"}, Names: NameRule{Dash: true}, Dialect: piDialect,
	},
	{
		Name: "omp", Title: "oh-my-pi",
		User: UserDir{
			Root: ".omp", RootVariable: "PI_CONFIG_DIR", Path: "agent", DirVariable: "PI_CODING_AGENT_DIR",
			ProfileVariables: []string{"OMP_PROFILE", "PI_PROFILE"},
		},
		UserFile: "mcp.json", MoreUser: []string{".mcp.json"},
		ProjectFile: ".omp/mcp.json", MoreProject: []string{".omp/.mcp.json"},
		Servers: []string{"mcpServers"}, DisabledList: "disabledServers", EnabledList: "enabledServers",
		Names: NameRule{Extra: ".:", Max: 100, Spaces: true, Dash: true}, Dialect: ompDialect,
	},
	{
		Name: "musepi", Title: "MusePi",
		User: UserDir{
			Root: ".musepi", RootVariable: "PI_CONFIG_DIR", Path: "agent", DirVariable: "PI_CODING_AGENT_DIR",
			ProfileVariables: []string{"MUSEPI_PROFILE"},
		},
		UserFile: "mcp.json", MoreUser: []string{".mcp.json"},
		ProjectFile: ".musepi/mcp.json", MoreProject: []string{".musepi/.mcp.json"},
		Servers: []string{"mcpServers"}, DisabledList: "disabledServers", EnabledList: "enabledServers",
		Names: NameRule{Extra: ".:", Max: 100, Dash: true}, Dialect: ompDialect,
	},

	{
		Name: "claude", Title: "Claude Code", User: UserDir{DirVariable: "CLAUDE_CONFIG_DIR"},
		UserFile: ".claude.json", Folders: []string{"projects"}, FolderOff: "disabledMcpServers", ProjectFile: ".mcp.json",
		Servers: []string{"mcpServers"}, Names: freeNames, Dialect: claudeDialect,
	},
	{
		Name: "claude-desktop", Title: "Claude Desktop",
		User:     UserDir{Root: ".config", RootVariable: "XDG_CONFIG_HOME", Path: "Claude", Darwin: "Library/Application Support/Claude"},
		UserFile: "claude_desktop_config.json",
		Servers:  []string{"mcpServers"}, Names: freeNames, Dialect: claudeDesktopDialect,
	},
	{
		Name: "cursor", Title: "Cursor", User: UserDir{Root: ".cursor"}, UserFile: "mcp.json", ProjectFile: ".cursor/mcp.json",
		Servers: []string{"mcpServers"}, Names: freeNames, Dialect: cursorDialect, Comments: true,
	},
	{
		Name: "vscode", Title: "VS Code",
		User:     editor("Code", ""),
		MoreDirs: []UserDir{editor("Code - Insiders", ""), editor("VSCodium", ""), {Root: ".vscode-server/data/User"}},
		UserFile: "mcp.json", MoreUser: []string{"settings.json"},
		ProjectFile: ".vscode/mcp.json", MoreProject: []string{".vscode/settings.json"},
		Servers: []string{"servers"}, ServersIn: map[string][]string{"settings.json": {"mcp", "servers"}, ".vscode/settings.json": {"mcp", "servers"}},
		Names: freeNames, Dialect: vscodeDialect, Comments: true,
	},
	{
		Name: "windsurf", Title: "Windsurf", User: UserDir{Root: ".codeium/windsurf"},
		MoreDirs: []UserDir{{Root: ".codeium/windsurf-next"}, {Root: ".codeium"}},
		UserFile: "mcp_config.json",
		Servers:  []string{"mcpServers"}, Names: freeNames, Dialect: windsurfDialect,
	},
	{
		Name: "copilot-cli", Title: "GitHub Copilot CLI", User: UserDir{Root: ".copilot", DirVariable: "COPILOT_HOME"},
		UserFile: "mcp-config.json", ProjectFile: ".mcp.json", MoreProject: []string{".github/mcp.json"},
		Servers: []string{"mcpServers"}, Names: freeNames, Dialect: copilotDialect, Bare: true,
	},
	{
		Name: "cline", Title: "Cline",
		User:     UserDir{Root: ".cline", RootVariable: "CLINE_DIR", Path: "data/settings", DirVariable: "CLINE_DATA_DIR", DirBelow: "settings"},
		MoreDirs: append([]UserDir{editor("Code", "saoudrizwan.claude-dev")}, editions("saoudrizwan.claude-dev")...), // before it had a place of its own
		UserFile: "cline_mcp_settings.json", FileVariable: "CLINE_MCP_SETTINGS_PATH",
		Servers: []string{"mcpServers"}, Names: freeNames, Dialect: clineDialect,
	},
	{
		Name: "roo", Title: "Roo Code", User: editor("Code", "rooveterinaryinc.roo-cline"),
		MoreDirs: editions("rooveterinaryinc.roo-cline"),
		UserFile: "mcp_settings.json", ProjectFile: ".roo/mcp.json",
		Servers: []string{"mcpServers"}, Names: freeNames, Dialect: rooDialect,
	},
	{
		Name: "kilocode", Title: "Kilo Code", User: editor("Code", "kilocode.kilo-code"),
		MoreDirs: append(editions("kilocode.kilo-code"), UserDir{Root: ".kilocode/cli/global/settings"}),
		UserFile: "mcp_settings.json", ProjectFile: ".kilocode/mcp.json",
		Servers: []string{"mcpServers"}, Names: freeNames, Dialect: kilocodeDialect,
	},
	{
		Name: "visual-studio", Title: "Visual Studio", ProjectFile: ".vs/mcp.json", MoreProject: []string{".mcp.json"},
		Servers: []string{"servers"}, Names: freeNames, Dialect: visualStudioDialect, Comments: true,
	},

	// Clients with JSON of their own: each dialect's file says where its facts come from.
	{
		Name: "gemini", Title: "Gemini CLI", User: UserDir{RootVariable: "GEMINI_CLI_HOME", Path: ".gemini"},
		UserFile: "settings.json", ProjectFile: ".gemini/settings.json",
		Servers: []string{"mcpServers"}, DisabledList: "mcp.excluded", OnlyList: "mcp.allowed",
		Names: freeNames, Dialect: geminiDialect, NoOverrides: true, Comments: true,
	},
	{
		Name: "qwen", Title: "Qwen Code", User: UserDir{Root: ".qwen", DirVariable: "QWEN_HOME"},
		UserFile: "settings.json", ProjectFile: ".qwen/settings.json",
		Servers: []string{"mcpServers"}, DisabledList: "mcp.excluded", OnlyList: "mcp.allowed",
		Names: freeNames, Dialect: qwenDialect, NoOverrides: true, Comments: true,
	},
	{
		Name: "opencode", Title: "OpenCode", User: UserDir{Root: ".config", RootVariable: "XDG_CONFIG_HOME", Path: "opencode"},
		Pointers: []Pointer{{"OPENCODE_CONFIG_DIR", true}, {"OPENCODE_CONFIG", false}}, TextVariable: "OPENCODE_CONFIG_CONTENT",
		UserFile: "opencode.json", MoreUser: []string{"opencode.jsonc"},
		ProjectFile: "opencode.json", MoreProject: []string{".opencode/opencode.jsonc", ".opencode/opencode.json", "opencode.jsonc"}, Either: true,
		Servers: []string{"mcp"}, Newer: &Edition{Servers: []string{"mcp", "servers"}, Dialect: opencode2Dialect, NoOverrides: true}, Layers: true,
		Names: freeNames, Dialect: opencodeDialect, Comments: true,
	},
	{
		Name: "kilo", Title: "Kilo Code 7", User: UserDir{Root: ".config", RootVariable: "XDG_CONFIG_HOME", Path: "kilo"},
		Pointers: []Pointer{{"KILO_CONFIG_DIR", true}, {"KILO_CONFIG", false}}, TextVariable: "KILO_CONFIG_CONTENT",
		UserFile: "kilo.jsonc", MoreUser: []string{"kilo.json", "opencode.jsonc", "opencode.json", "config.json"},
		ProjectFile: "kilo.jsonc", MoreProject: []string{".kilo/kilo.jsonc", ".kilo/kilo.json", "kilo.json", "opencode.jsonc", "opencode.json"}, Either: true,
		Servers: []string{"mcp"}, ServersIn: map[string][]string{"opencode.jsonc": {"mcp"}, "opencode.json": {"mcp"}, "config.json": {"mcp"}}, Layers: true,
		Names: freeNames, Dialect: kiloDialect, Comments: true,
	},
	{
		Name: "zed", Title: "Zed", User: UserDir{Root: ".config", RootVariable: "XDG_CONFIG_HOME", Path: "zed", Darwin: ".config/zed"},
		UserFile: "settings.json", ProjectFile: ".zed/settings.json",
		Servers: []string{"context_servers"}, Names: freeNames, Dialect: zedDialect, NoOverrides: true, Comments: true,
	},
	{
		Name: "amp", Title: "Amp", User: UserDir{Root: ".config/amp"},
		MoreDirs: []UserDir{{Root: ".config", RootVariable: "XDG_CONFIG_HOME", Path: "Code/User", Darwin: "Library/Application Support/Code/User"}},
		UserFile: "settings.json", MoreUser: []string{"settings.jsonc"}, FileVariable: "AMP_SETTINGS_FILE",
		ProjectFile: ".amp/settings.json", MoreProject: []string{".amp/settings.jsonc", ".vscode/settings.json"}, Either: true,
		Servers: []string{"amp.mcpServers"}, ServersIn: map[string][]string{".vscode/settings.json": {"amp.mcpServers"}}, Names: freeNames, Dialect: ampDialect, NoOverrides: true, Comments: true,
	},
	{
		Name: "junie", Title: "Junie", User: UserDir{Root: ".junie", DirVariable: "JUNIE_HOME"},
		UserFile: "mcp/mcp.json", ProjectFile: ".junie/mcp/mcp.json",
		Servers: []string{"mcpServers"}, Names: freeNames, Dialect: junieDialect, NoOverrides: true,
	},
	{
		Name: "kiro", Title: "Kiro", User: UserDir{Root: ".kiro", DirVariable: "KIRO_HOME"},
		UserFile: "settings/mcp.json", ProjectFile: ".kiro/settings/mcp.json",
		Servers: []string{"mcpServers"}, Names: freeNames, Dialect: kiroDialect, NoOverrides: true,
	},
	{
		Name: "amazonq", Title: "Amazon Q Developer", User: UserDir{Root: ".aws/amazonq"},
		UserFile: "mcp.json", ProjectFile: ".amazonq/mcp.json",
		Servers: []string{"mcpServers"}, Names: freeNames, Dialect: amazonqDialect, NoOverrides: true,
	},
	{
		Name: "crush", Title: "Crush", User: UserDir{Root: ".config", RootVariable: "XDG_CONFIG_HOME", Path: "crush", DirVariable: "CRUSH_GLOBAL_CONFIG"},
		UserFile: "crush.json", ProjectFile: "crush.json", MoreProject: []string{".crush.json"}, Either: true,
		Servers: []string{"mcp"}, Names: freeNames, Dialect: crushDialect, NoOverrides: true,
	},
	{
		Name: "factory", Title: "Factory Droid", User: UserDir{RootVariable: "FACTORY_HOME_OVERRIDE", Path: ".factory"},
		UserFile: "mcp.json", ProjectFile: ".factory/mcp.json",
		Servers: []string{"mcpServers"}, Names: freeNames, Dialect: factoryDialect, NoOverrides: true,
	},
	{
		Name: "antigravity", Title: "Antigravity", User: UserDir{Root: ".gemini"},
		UserFile: "config/mcp_config.json", MoreUser: []string{"antigravity/mcp_config.json"},
		ProjectFile: ".agents/mcp_config.json",
		Servers:     []string{"mcpServers"}, Names: freeNames, Dialect: antigravityDialect, NoOverrides: true,
	},
	{
		Name: "lmstudio", Title: "LM Studio", User: UserDir{Root: ".lmstudio"}, MoreDirs: []UserDir{{Root: ".cache/lm-studio"}}, UserFile: "mcp.json",
		Servers: []string{"mcpServers"}, Names: freeNames, Dialect: lmstudioDialect, NoOverrides: true,
	},
	{
		Name: "warp", Title: "Warp", User: UserDir{Root: ".warp"},
		UserFile: ".mcp.json", ProjectFile: ".warp/.mcp.json",
		Servers: []string{"mcpServers"}, Names: freeNames, Dialect: warpDialect, NoOverrides: true,
	},
	{
		Name: "trae", Title: "TRAE", User: UserDir{Root: ".config", RootVariable: "XDG_CONFIG_HOME", Path: "Trae/User", Darwin: "Library/Application Support/Trae/User"},
		UserFile: "mcp.json", ProjectFile: ".trae/mcp.json",
		Servers: []string{"mcpServers"}, Names: freeNames, Dialect: traeDialect, NoOverrides: true,
	},
	{
		Name: "augment", Title: "Auggie", User: UserDir{Root: ".augment"},
		UserFile: "settings.json", ProjectFile: ".augment/settings.json",
		Servers: []string{"mcpServers"}, Names: freeNames, Dialect: augmentDialect, NoOverrides: true,
	},
	{
		Name: "codex", Title: "Codex", User: UserDir{Root: ".codex", DirVariable: "CODEX_HOME"},
		UserFile: "config.toml", ProjectFile: ".codex/config.toml",
		Servers: []string{"mcp_servers"}, Names: NameRule{Dash: true}, Dialect: codexDialect, Comments: true, Rooted: true,
	},
	{
		Name: "goose", Title: "goose",
		User:     UserDir{Root: ".config", RootVariable: "XDG_CONFIG_HOME", Path: "goose", DirVariable: "GOOSE_PATH_ROOT", DirBelow: "config"},
		UserFile: "config.yaml",
		Servers:  []string{"extensions"}, Names: NameRule{Dash: true}, Dialect: gooseDialect, NoOverrides: true, Comments: true, NameIn: "name",
	},
	{
		Name: "continue", Title: "Continue", User: UserDir{Root: ".continue", DirVariable: "CONTINUE_GLOBAL_DIR"}, UserFile: "config.yaml",
		DropIns: DropIns{User: "mcpServers", Project: ".continue/mcpServers", Endings: []string{".yaml", ".yml", ".json"}, Alone: ".json"},
		Newer:   &Edition{Servers: []string{"mcpServers"}, Dialect: continueJSONDialect, NoOverrides: true, Ending: ".json"},
		Servers: []string{"mcpServers"}, Names: freeNames, Dialect: continueDialect, NoOverrides: true, Comments: true, NameIn: "name", Prints: continuePrints, List: true, ReadOnly: true,
	},
	{
		Name: "vibe", Title: "Mistral Vibe", User: UserDir{Root: ".vibe", DirVariable: "VIBE_HOME"}, UserFile: "config.toml", ProjectFile: ".vibe/config.toml",
		Servers: []string{"mcp_servers"}, Names: freeNames, Dialect: vibeDialect, NoOverrides: true, Comments: true, NameIn: "name", Prints: vibePrints, List: true, ReadOnly: true,
	},
}

// freeNames is the rule of clients that take any name: letters and digits, and the signs
// that are seen in such files.
var freeNames = NameRule{Extra: ".:/@+()", Spaces: true, Dash: true}

// editor is where an editor of the VS Code family keeps the user's files, or those of
// one of its extensions.
func editor(edition, extension string) UserDir {
	below := "/User"
	if extension != "" {
		below += "/globalStorage/" + extension + "/settings"
	}
	return UserDir{Root: ".config", RootVariable: "XDG_CONFIG_HOME", Path: edition + below, Darwin: "Library/Application Support/" + edition + below}
}

// editions are the other editors that an extension runs in.
func editions(extension string) []UserDir {
	dirs := []UserDir{{Root: ".vscode-server/data/User/globalStorage/" + extension + "/settings"}}
	for _, edition := range []string{"Code - Insiders", "VSCodium", "Cursor", "Windsurf"} {
		dirs = append(dirs, editor(edition, extension))
	}
	return dirs
}
