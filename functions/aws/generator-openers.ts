import { awsLimits } from '../../shared/config/aws-limits.ts'
import type { AwsPlatform } from '../../shared/platform/aws/aws-platform.ts'
import type { AwsResources } from '../../shared/platform/aws/aws-resources.ts'
import { createInstallRecords } from '../../shared/platform/aws/blobs/install-records.ts'
import { storeInstallSource } from '../../shared/platform/aws/blobs/install-sources.ts'
import { createInstallUpload } from '../../shared/platform/aws/blobs/install-uploads.ts'
import { type AwsSettings, createUploadSigner } from '../../shared/platform/aws/clients.ts'
import { createLambdaClient } from '../../shared/platform/aws/lambda-client.ts'
import { createProcesses } from '../../shared/platform/system/processes.ts'
import { withReviewedConfig } from '../../shared/runtime/credentials/reviewed-config.ts'
import { removeFunctionVariables } from '../../shared/runtime/credentials/stack-role.ts'
import type { StackServerDeps } from '../../shared/runtime/deployment/stack-server-deps.ts'
import { withAttachedPolicies } from '../../shared/runtime/policy-packs/attached-policies.ts'
import { createInstallerCaller } from '../../shared/runtime/programs/call-installer.ts'
import type { InstallProgram } from '../../shared/runtime/programs/install-job.ts'
import type { ProgramFolders } from '../../shared/runtime/programs/program-folder.ts'
import { withRepositoryPrograms } from '../../shared/runtime/programs/repository-program.ts'
import { withInstalledPackages } from '../../shared/runtime/programs/uploaded-program.ts'
import { exportState } from '../../shared/runtime/state/export-state.ts'
import type { AwsTriggers } from './open-triggers.ts'

/** The dependencies of the functions that open the programs of a generator. */
interface OpenerDeps {
  readonly settings: AwsSettings
  readonly awsResources: AwsResources
  readonly platform: AwsPlatform
  readonly triggers: Pick<AwsTriggers, 'outbound' | 'documents' | 'sealing'>
  readonly folders: ProgramFolders
  readonly scratch: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Creates the functions with which a generator opens the program of a request (`open`), or that of
 * a deployment that it continues (`reopen`). They also open programs of repositories and uploaded
 * programs without packages. They add the reviewed configuration to an unreviewed preview, and the
 * policy packs that are attached to the stack. Throws AWS_SETTINGS_INVALID without the variable of
 * the installer function.
 */
export function createGeneratorOpeners(
  { open, reopen }: Pick<StackServerDeps, 'open' | 'reopen'>,
  deps: OpenerDeps,
): Pick<StackServerDeps, 'open' | 'reopen'> {
  const { settings, awsResources, platform, triggers, folders, scratch, env } = deps
  const { archives, requests, clock } = platform
  const install = createInstallProgram(deps)
  const programDeps = { archives, requests, clock, folders, scratch, install, ...triggers }
  const openWithReviewedConfig = withReviewedConfig(withRepositoryPrograms(open, programDeps), {
    requests,
    readState: stack => exportState(platform, stack),
  })
  const s3 = createUploadSigner(settings)
  const openWithPackages = withInstalledPackages(openWithReviewedConfig, {
    ...programDeps,
    installedPrograms: createInstallRecords({ s3, bucket: awsResources.get('bucket') }),
    processes: createProcesses,
    env: removeFunctionVariables(env),
  })
  return withAttachedPolicies(
    { open: openWithPackages, reopen },
    { documents: triggers.documents, folders },
  )
}

/**
 * Creates the function that installs programs by a call of the installer on Lambda. A generator
 * itself runs no scripts of packages, because scripts could use its role, which has access to
 * journal and catalog. Throws AWS_SETTINGS_INVALID without the variable of the installer function.
 */
function createInstallProgram({
  settings,
  awsResources,
  platform: { clock, random, logger },
  triggers: { outbound },
}: OpenerDeps): InstallProgram {
  const s3 = createUploadSigner(settings)
  const bucket = awsResources.get('bucket')
  return createInstallerCaller({
    lambda: createLambdaClient(settings, awsLimits.installerResponseTimeoutMs),
    functionArn: awsResources.get('installerFunction'),
    createUpload: () => createInstallUpload({ s3, bucket, random }),
    storeSource: source => storeInstallSource({ s3, bucket, random }, source),
    outbound,
    clock,
    random,
    logger,
  })
}
