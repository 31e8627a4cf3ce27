const installer = 'downloads the installer of Pulumi from its site'
const host = 'clones a repository of a public host, which this machine need not reach'
const files = 'needs files of the repository that the published module does not contain'
const cloud = 'expects an address of Pulumi Cloud in the output'
const dotnet = 'needs the language host of .NET, which no package contains'
const errorCode = 'expects the prefix `error: `, but an error here has its code in the prefix'
const remote = 'needs the option `--remote`, which runs a program in Pulumi Cloud'
const pluginDownload = 'downloads plugins from public hosts, which this machine need not reach'

/**
 * The tests of the Go SDK's Automation API that cannot pass here, each with its reason. Every other
 * test of the published module must pass.
 */
export const goAutomationExclusions: Readonly<Record<string, string>> = {
  TestInstallDefaultRoot: installer,
  TestInstallTwice: installer,
  TestErrorIncompatibleVersion: installer,
  TestNoGlobalPulumi: installer,
  TestVersionWithVerboseEnv: installer,
  TestNewStackRemoteSource: host,
  TestUpsertStackRemoteSource: host,
  TestNewStackRemoteSourceWithSetup: host,
  TestUpsertStackRemoteSourceWithSetup: host,
  TestShallowClone: host,
  TestGitClone: host,
  TestCompilationErrorDotnet: files,
  TestCompilationErrorGo: files,
  TestCompilationErrorTypescript: files,
  TestRuntimeErrorDotnet: files,
  TestRuntimeErrorGo: files,
  TestRuntimeErrorJavascript: files,
  TestRuntimeErrorPython: files,
  TestRuntimeErrorTypescript: files,
  TestConcurrentUpdateError: files,
  TestRunCanceled: files,
  TestInstallWithOptions: files,
  TestStackImportResources: files,
  TestStackImportResourcesWithoutGenerateCode: files,
  TestRemoveWithForce: cloud,
  TestNewStackLocalSource: cloud,
  TestTagFunctions: 'expects the tag pulumi:project, which clients of Pulumi Cloud set',
  TestPreviewImportResources: 'imports a file without resources, which is reported here',
  TestOrgGetSetDefault: 'sets an organization that does not exist here',
}

/**
 * The tests of the Node SDK's Automation API that cannot pass here: a part of each title, with a
 * reason. Every other test of the published module must pass.
 */
export const nodeAutomationExclusions: Readonly<Record<string, string>> = {
  'installs the requested version': installer,
  'does not re-install the version if it already exists': installer,
  'defaults to $HOME/.pulumi/versions/$VERSION if no root is provided': installer,
  'throws if the found version is not compatible with the requested version': installer,
  'adds/removes/lists plugins successfully': pluginDownload,
  'previews a destroy without executing it': dotnet,
  'runs through the stack lifecycle with a local dotnet program': dotnet,
  'listens for error output': errorCode,
  'can import resources into a stack': pluginDownload,
  'RemoteWorkspace remote cmd args': remote,
}

/**
 * The tests of the Python SDK's Automation API that cannot pass here, by file and name, each with
 * its reason. Every other test of the published module must pass.
 */
export const pythonAutomationExclusions: Readonly<Record<string, string>> = {
  'test_cmd.py::test_install_default_root': installer,
  'test_cmd.py::test_install_twice': installer,
  'test_cmd.py::test_incompatible_version': installer,
  'test_errors.py::test_runtime_errors[python-failed with an unhandled exception]': files,
  'test_errors.py::test_runtime_errors[go-panic: runtime error]': files,
  'test_errors.py::test_runtime_errors[dotnet-failed with an unhandled exception]': dotnet,
  'test_errors.py::test_compilation_errors[go-: syntax error:|: undefined:]': files,
  'test_errors.py::test_compilation_errors[dotnet-Build FAILED.]': dotnet,
  'test_local_workspace.py::TestLocalWorkspace::test_import_resources': pluginDownload,
  'test_local_workspace.py::TestLocalWorkspace::test_on_error': errorCode,
  'test_local_workspace.py::TestLocalWorkspace::test_plugin_functions': pluginDownload,
  'test_local_workspace.py::TestLocalWorkspace::test_stack_lifecycle_local_program': files,
}
