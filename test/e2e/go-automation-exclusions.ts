const installer = 'downloads the installer of Pulumi from its site'
const host = 'clones a repository of a public host, which this machine need not reach'
const files = 'needs files of the repository that the published module does not contain'
const cloud = 'expects an address of Pulumi Cloud in the output'

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
