import { hasCode } from '../errors/error.ts'
import type { StackId } from '../records/ids.ts'
import type { DeploymentRequest } from '../records/stack-request.ts'
import { putFirstServiceManager } from '../runtime/credentials/stack-service-keys.ts'
import { createNoProgramError } from '../runtime/programs/open-archived-program.ts'
import { requireStack } from '../runtime/state/export-state.ts'
import { toPrintable } from '../triggers/printable.ts'
import { includesRole, requireRole } from '../api/authorization.ts'
import { parseInput, stackOf } from '../api/define-route.ts'
import { requestDeployment, requestParallelDefault } from '../api/request-deployment.ts'
import { createDeploymentForm, refuseUnsupported, withoutEmptyMembers } from './deployment-form.ts'
import { readSettingsSource, sourceForm, sourceMembers } from './deployment-settings.ts'
import { isSameRepository, createGitRequest, type GitSource } from './git-source.ts'
import {
  addPulumiDeployment,
  pulumiDeploymentIdOf,
  removePulumiDeployment,
} from './pulumi-deployment.ts'
import type { PulumiOperation } from '../triggers/pulumi-operation.ts'
import { operationRequests } from './pulumi-operations.ts'
import { parseBody, type ServiceCall, type ServicePorts } from './service-route.ts'

/**
 * The operations that can run the program of a repository. Rules of webhooks support only these.
 */
const repositoryOperations: readonly PulumiOperation[] = ['update', 'preview', 'refresh', 'destroy']

/** Maximum length of the stored initiator that a client names in a header. */
const initiatorCharsMax = 40

/**
 * Requests a deployment of a commit, or of the last uploaded program if neither the call nor
 * inherited settings name a repository. Throws STACK_NOT_FOUND, API_INPUT_INVALID, API_FORBIDDEN,
 * PROJECT_NOT_FOUND and the errors of `requestDeployment`.
 */
export async function createDeployment(ports: ServicePorts, call: ServiceCall): Promise<unknown> {
  const { operation, inheritSettings, ...settings } = parseBody(createDeploymentForm, call)
  if (!operationRequests[operation].dryRun)
    requireRole(call.caller, 'deploy', `the operation ${operation}`)
  const { id: stack, snapshot } = await requireStack(ports, stackOf(call.params))
  const requestedSettings = withoutEmptyMembers(settings) ?? {}
  refuseUnsupported(
    requestedSettings,
    repositoryOperations.includes(operation) ? sourceMembers : [],
  )
  const callSource = parseInput(sourceForm, requestedSettings, 'body').sourceContext?.git
  const inheritsSettings = inheritSettings === true
  const source = await findSource(ports, { stack, operation, callSource, inheritsSettings })
  const request = await createRequest(ports, call, { stack, operation, source })
  if (snapshot === '' && includesRole(call.caller.role, 'deploy'))
    await putFirstServiceManager(ports, stack, call.origin)
  const initiator = call.header('x-pulumi-deployment-initiator')
  const addedDeployment = await addPulumiDeployment(ports, request, {
    operation,
    inheritSettings: inheritsSettings,
    ...(initiator === undefined ? {} : { initiator: toPrintable(initiator, initiatorCharsMax) }),
  })
  try {
    await requestDeployment(ports, request, async () => undefined)
  } catch (thrown) {
    // Only this error proves that no request was put. After any other error, the deployment stays.
    if (hasCode(thrown, 'REQUEST_QUEUE_FULL'))
      await removePulumiDeployment(ports, stack, addedDeployment)
    throw thrown
  }
  return { id: pulumiDeploymentIdOf(addedDeployment), consoleUrl: '' }
}

/** Returns the source of a deployment: that of the call, with defaults from inherited settings. */
async function findSource(
  ports: ServicePorts,
  input: {
    readonly stack: StackId
    readonly operation: PulumiOperation
    readonly callSource: GitSource | undefined
    readonly inheritsSettings: boolean
  },
): Promise<GitSource | undefined> {
  const { stack, operation, callSource, inheritsSettings } = input
  if (!inheritsSettings || !repositoryOperations.includes(operation)) return callSource
  const settingsSource = await readSettingsSource(ports, stack)
  if (settingsSource === undefined || callSource === undefined) return callSource ?? settingsSource
  const { repoUrl = settingsSource.repoUrl } = callSource
  // Settings for another repository do not apply.
  if (!isSameRepository(repoUrl, settingsSource.repoUrl)) return callSource
  const { commit, ...otherSettings } = settingsSource
  // The commit of the settings is on the branch of the settings, which the call may replace.
  const keepsCommit = commit !== undefined && callSource.branch === undefined
  return { ...otherSettings, ...(keepsCommit ? { commit } : {}), ...callSource }
}

async function createRequest(
  ports: ServicePorts,
  { caller }: ServiceCall,
  input: {
    readonly stack: StackId
    readonly operation: PulumiOperation
    readonly source: GitSource | undefined
  },
): Promise<DeploymentRequest> {
  const { stack, operation, source } = input
  const { command, refresh, dryRun } = operationRequests[operation]
  const request: DeploymentRequest = {
    stack,
    key: ports.random.uuid(),
    at: ports.clock.now(),
    by: `${caller.name} (pulumi)`,
    token: caller.id,
    dryRun,
    program: { kind: 'last' },
    options: {
      command,
      refresh,
      message: `pulumi deployment run ${operation}`,
      parallel: requestParallelDefault,
      continueOnError: false,
      execute: ports.execute,
    },
  }
  if (source !== undefined) {
    // The caller decides which commit runs. This needs the same role as uploading a program.
    requireRole(caller, 'deploy', 'a deployment of a repository')
    return createGitRequest(ports, source, request)
  }
  if ((await ports.requests.getProgram(stack)) === undefined) throw createNoProgramError(stack)
  return request
}
