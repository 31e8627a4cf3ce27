import { createArchivedProgramOpener } from '../shared/runtime/programs/open-archived-program.ts'
import { openStackSecrets } from '../shared/runtime/credentials/open-stack-secrets.ts'
import { createProgramFolders } from '../shared/runtime/programs/program-folder.ts'
import { openWithRepositories } from '../shared/runtime/programs/repository-program.ts'
import { withoutFunctionVariables } from '../shared/runtime/credentials/stack-role.ts'
import { servePreview } from '../functions/step-generator/serve-preview.ts'
import type { NotifierPorts, StackServer } from '../shared/runtime/deployment/stack-server-deps.ts'
import { notifyAndEndRequest, notifyStarted } from '../functions/step-generator/notify-result.ts'
import type { GeneratorPorts } from '../shared/runtime/deployment/generator-ports.ts'
import { createDefaultKeyKeeper } from '../shared/platform/aws/default-key-keeper.ts'
import { DeployError, hasCode, messageOf } from '../shared/errors/error.ts'
import type { OutboundPort } from '../shared/ports/outbound.ts'
import type { Platform } from '../shared/ports/platform.ts'
import type { EmbeddedPlatform } from '../shared/platform/embedded/embedded-platform.ts'
import { createProcesses } from '../shared/platform/system/processes.ts'
import type { DeploymentRequest } from '../shared/records/request.ts'
import { errorSourceOf } from '../shared/providers/retry-policy.ts'
import { isSuperseded } from '../shared/triggers/trigger-requests.ts'
import { deploy } from './deploy.ts'

/**
 * Creates the opener of requests. Archives are unpacked below a home folder; programs of
 * repositories are fetched and installed first.
 */
export function createRequestOpener(
  platform: EmbeddedPlatform,
  options: {
    readonly home: string
    readonly passphrase: string | undefined
    readonly outbound: OutboundPort
    /** The environment of package managers, without Antichain's own variables. */
    readonly env: Readonly<Record<string, string | undefined>>
  },
): Pick<StackServer, 'open' | 'reopen'> {
  const { home, passphrase, outbound, env } = options
  const keeper = createDefaultKeyKeeper(env)
  const folders = createProgramFolders(platform.blobs, home)
  const { open, reopen } = createArchivedProgramOpener(platform.requests, {
    folders,
    secretsOf: (stack, named) => openStackSecrets({ keeper, passphrase }, stack, named),
  })
  const repositories = {
    ...platform,
    ...{ outbound, folders, scratch: home },
    env: withoutFunctionVariables(env),
    processes: createProcesses,
  }
  return { open: openWithRepositories(open, repositories), reopen }
}

/** The dependencies of serving a request. */
export interface RequestServer {
  readonly platform: Platform
  readonly ports: GeneratorPorts
  readonly open: StackServer['open']
  readonly notifier: NotifierPorts
}

/**
 * Runs a requested deployment in this process to its end, or until this process must shut down, and
 * notifies of its start. A superseded request is skipped. An error that the caller must correct
 * ends the request. A store error is thrown, and the request waits for the next check.
 */
export async function serveRequest(
  serving: RequestServer,
  queued: DeploymentRequest,
  leave: AbortSignal,
): Promise<void> {
  const { platform, ports, open } = serving
  const [, next] = await platform.requests.listWaiting(queued.stack, 2)
  if (next !== undefined && isSuperseded(queued, next)) {
    await notifyAndEndRequest(serving, queued, { kind: 'superseded', by: next.key })
    return
  }
  try {
    const request = await open(queued)
    if (queued.dryRun) {
      await servePreview(serving, request, queued)
      return
    }
    // Events are stored, and the caller reads them from there.
    const sink = { emit: () => undefined }
    const running = await deploy({ platform, ports, request: { ...request, leave }, sink })
    if (running.deployment !== undefined) await notifyStarted(serving, running.deployment, queued)
    await running.done
  } catch (thrown) {
    await refuseRequest(serving, queued, thrown)
  }
}

/** After the begin of a deployment, its own records contain the error. */
async function refuseRequest(
  serving: RequestServer,
  queued: DeploymentRequest,
  thrown: unknown,
): Promise<void> {
  if (errorSourceOf(thrown) === 'store' || hasCode(thrown, 'STACK_BUSY')) throw thrown
  const { stack, key } = queued
  const { requests, logger } = serving.platform
  const code = thrown instanceof DeployError ? thrown.code : 'INTERNAL_ASSERTION'
  const message = messageOf(thrown)
  const kept = await requests.find(stack, key)
  if (kept !== undefined && kept.end === undefined)
    await notifyAndEndRequest(serving, queued, { kind: 'refused', code, message })
  logger.write('warn', 'request.refused', { stack, key, code })
}
