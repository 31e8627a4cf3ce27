import { withAttachedPolicies } from '../shared/runtime/policy-packs/attached-policies.ts'
import { createArchivedProgramOpener } from '../shared/runtime/programs/open-archived-program.ts'
import { openStackSecrets } from '../shared/runtime/credentials/open-stack-secrets.ts'
import { createServiceOpeners } from '../shared/runtime/credentials/service-openers.ts'
import { findApprovalPeriodMs } from '../shared/runtime/approvals/approval-rule.ts'
import { createProgramFolders } from '../shared/runtime/programs/program-folder.ts'
import {
  withRepositoryPrograms,
  type RepositoryDeps,
} from '../shared/runtime/programs/repository-program.ts'
import {
  type InstalledPrograms,
  withInstalledPackages,
} from '../shared/runtime/programs/uploaded-program.ts'
import { removeFunctionVariables } from '../shared/runtime/credentials/stack-role.ts'
import { installProgram } from '../shared/runtime/programs/install-program.ts'
import { servePreview } from '../functions/step-generator/serve-preview.ts'
import type {
  NotifierPorts,
  StackServerDeps,
} from '../shared/runtime/deployment/stack-server-deps.ts'
import {
  notifyAndEndRequest,
  notifyStarted,
} from '../functions/step-generator/send-notifications.ts'
import type { GeneratorPorts } from '../shared/runtime/deployment/generator-ports.ts'
import { createDefaultKeyKeeper } from '../shared/platform/key-services/default-key-keeper.ts'
import { DeployError, hasCode, messageOf } from '../shared/errors/error.ts'
import type { BlobHash, StackId } from '../shared/records/ids.ts'
import type { OutboundPort } from '../shared/ports/outbound.ts'
import type { Platform } from '../shared/ports/platform.ts'
import type { EmbeddedPlatform } from '../shared/platform/embedded/embedded-platform.ts'
import { createProcesses } from '../shared/platform/system/processes.ts'
import {
  type DeploymentRequest,
  isEditRequest,
  type StackRequest,
} from '../shared/records/stack-request.ts'
import { refuseRecentRead } from '../functions/step-generator/refuse-recent-read.ts'
import { serveEdit } from '../functions/step-generator/serve-edit.ts'
import { errorSourceOf } from '../shared/providers/retry-policy.ts'
import { isSuperseded } from '../shared/triggers/trigger-requests.ts'
import { deploy } from './deploy.ts'

/**
 * Creates the opener of requests, which returns the `DeployInput` of a queued request or of a
 * started deployment. It unpacks archives below a home folder. Programs of repositories are fetched
 * and installed first.
 */
export function createRequestOpener(
  platform: EmbeddedPlatform,
  options: {
    readonly home: string
    readonly passphrase: string | undefined
    readonly outbound: OutboundPort
    /**
     * The environment of this process. Package managers get it without the variables that belong
     * to a Lambda function itself, such as its credentials.
     */
    readonly env: Readonly<Record<string, string | undefined>>
  },
): Pick<StackServerDeps, 'open' | 'reopen'> {
  const { home, passphrase, outbound, env } = options
  const keeper = createDefaultKeyKeeper(env)
  const folders = createProgramFolders(platform.archives, home)
  const { openRecordedServiceManager } = createServiceOpeners(platform, () => platform.sealing)
  const stackSecretsDeps = {
    keeper,
    passphrase,
    allowedKeys: 'own-or-unnamed',
    openRecordedServiceManager,
  } as const
  const { open, reopen } = createArchivedProgramOpener(platform.requests, {
    folders,
    openSecrets: (stack, stackSecrets) => openStackSecrets(stackSecretsDeps, stack, stackSecrets),
  })
  const installer = {
    outbound,
    clock: platform.clock,
    scratch: home,
    processes: createProcesses,
    env: removeFunctionVariables(env),
  }
  const repositories: RepositoryDeps = {
    ...platform,
    outbound,
    folders,
    scratch: home,
    install: installRequest => installProgram(installer, installRequest),
  }
  const openWithPackages = withInstalledPackages(withRepositoryPrograms(open, repositories), {
    ...repositories,
    requests: platform.requests,
    archives: platform.archives,
    processes: createProcesses,
    clock: platform.clock,
    env: installer.env,
    installedPrograms: createInstalledPrograms(),
  })
  return withAttachedPolicies(
    { open: openWithPackages, reopen },
    { documents: platform.documents, folders },
  )
}

/** Creates the registry of installed programs, which this process keeps until its end. */
function createInstalledPrograms(): InstalledPrograms {
  const archives = new Map<string, BlobHash>()
  const keyOf = (stack: StackId, marker: string): string => JSON.stringify([stack, marker])
  return {
    find: async (stack, marker) => archives.get(keyOf(stack, marker)),
    store: async (stack, marker, archive) => void archives.set(keyOf(stack, marker), archive),
  }
}

/** The dependencies of serving a request. */
export interface RequestServer {
  readonly platform: Platform
  readonly ports: GeneratorPorts
  readonly open: StackServerDeps['open']
  readonly notifier: NotifierPorts
}

/**
 * Runs a requested deployment, preview, edit or rename in this process to its end, or until this
 * process must shut down. Sends the notifications about the start of a deployment. Ends a
 * superseded request without a run. Throws a store error and STACK_BUSY, and the request then waits
 * for the next check. Any other error ends the request.
 */
export async function serveRequest(
  server: RequestServer,
  queuedRequest: StackRequest,
  handOverSignal: AbortSignal,
): Promise<void> {
  if (isEditRequest(queuedRequest)) {
    await serveEdit(server, queuedRequest)
    return
  }
  const { platform, ports, open } = server
  const [, nextRequest] = await platform.requests.listWaiting(queuedRequest.stack, 2)
  if (nextRequest !== undefined && isSuperseded(queuedRequest, nextRequest)) {
    await notifyAndEndRequest(server, queuedRequest, { kind: 'superseded', by: nextRequest.key })
    return
  }
  try {
    await refuseRecentRead({ ...server, requests: platform.requests }, queuedRequest)
    // A deployment that needs an approval is only previewed. Users then approve the plan of the
    // preview.
    const approvalPeriodMs = queuedRequest.dryRun
      ? undefined
      : await findApprovalPeriodMs(ports.documents, queuedRequest)
    const dryRun = queuedRequest.dryRun || approvalPeriodMs !== undefined
    const request = await open({ ...queuedRequest, dryRun })
    if (dryRun) {
      await servePreview(server, { request, queuedRequest, approvalPeriodMs }, {})
      return
    }
    // The events are not displayed here. Their readers use the stored events.
    const sink = { emit: () => undefined }
    const runningDeployment = await deploy({
      platform,
      ports,
      request: { ...request, by: queuedRequest.by, handOverSignal },
      sink,
    })
    if (runningDeployment.deployment !== undefined)
      await notifyStarted(server, runningDeployment.deployment, queuedRequest)
    await runningDeployment.done
  } catch (thrown) {
    await refuseRequest(server, queuedRequest, thrown)
  }
}

/**
 * Ends a request with an error, unless the request already has an end because its deployment
 * started. Throws a store error and STACK_BUSY again.
 */
async function refuseRequest(
  server: RequestServer,
  queuedRequest: DeploymentRequest,
  thrown: unknown,
): Promise<void> {
  if (errorSourceOf(thrown) === 'store' || hasCode(thrown, 'STACK_BUSY')) throw thrown
  const { stack, key } = queuedRequest
  const { requests, logger } = server.platform
  const code = thrown instanceof DeployError ? thrown.code : 'INTERNAL_ASSERTION'
  const message = messageOf(thrown)
  const storedRequest = await requests.find(stack, key)
  if (storedRequest !== undefined && storedRequest.end === undefined)
    await notifyAndEndRequest(server, queuedRequest, { kind: 'refused', code, message })
  logger.write('warn', 'request.refused', { stack, key, code })
}
