import { archivedRequests } from '../functions/surroundings/archived-request.ts'
import { openSecrets } from '../functions/surroundings/open-secrets.ts'
import { createProgramFolders } from '../functions/surroundings/program-folder.ts'
import { openWithRepositories } from '../functions/surroundings/repository-program.ts'
import { withoutOwn } from '../functions/surroundings/stack-role.ts'
import { servePreview } from '../functions/step-generator/serve-preview.ts'
import type { StackServer } from '../functions/step-generator/serve-stack.ts'
import { endTold, type Telling, tellStarted } from '../functions/step-generator/tell-result.ts'
import type { GeneratorPorts } from '../functions/step-generator/start.ts'
import { createOwnKeeper } from '../shared/platform/aws/own-keeper.ts'
import { DeployError, hasCode, messageOf } from '../shared/errors/error.ts'
import type { OutboundPort } from '../shared/ports/outbound.ts'
import type { Platform } from '../shared/ports/platform.ts'
import type { EmbeddedPlatform } from '../shared/platform/embedded/platform.ts'
import { createProcesses } from '../shared/platform/system/processes.ts'
import type { DeploymentRequest } from '../shared/records/request.ts'
import { producerOf } from '../shared/providers/whose-error.ts'
import { isSuperseded } from '../shared/triggers/trigger-requests.ts'
import { deploy } from './deploy.ts'

/**
 * Opens what requests ask for: their archives are unpacked below a home folder, programs of
 * repositories fetched and installed first.
 */
export function requestOpener(
  platform: EmbeddedPlatform,
  about: {
    readonly home: string
    readonly passphrase: string | undefined
    readonly outbound: OutboundPort
    /** Of package managers, without what is ours in it. */
    readonly env: Readonly<Record<string, string | undefined>>
  },
): Pick<StackServer, 'open' | 'reopen'> {
  const { home, passphrase, outbound, env } = about
  const keeper = createOwnKeeper(env)
  const folders = createProgramFolders(platform.blobs, home)
  const { open, reopen } = archivedRequests(platform.requests, {
    folders,
    secretsOf: (stack, named) => openSecrets({ keeper, passphrase }, stack, named),
  })
  const repositories = {
    ...platform,
    ...{ outbound, folders, scratch: home },
    env: withoutOwn(env),
    processes: createProcesses,
  }
  return { open: openWithRepositories(open, repositories), reopen }
}

/** What serving a request works with. */
export interface RequestServing {
  readonly platform: Platform
  readonly ports: GeneratorPorts
  readonly open: StackServer['open']
  readonly tell: Telling
}

/**
 * Runs what a request asks for in this process to its end, or until this is to leave, and tells
 * whoever wants to know that it began; one that a later request makes needless is left out. What
 * the asker must correct ends the request; what the store has to answer for is thrown, and the
 * request waits for the next look.
 */
export async function serveRequest(
  serving: RequestServing,
  asked: DeploymentRequest,
  leave: AbortSignal,
): Promise<void> {
  const { platform, ports, open } = serving
  const [, next] = await platform.requests.waiting(asked.stack, 2)
  if (next !== undefined && isSuperseded(asked, next)) {
    await endTold(serving, asked, { kind: 'superseded', by: next.key })
    return
  }
  try {
    const request = await open(asked)
    if (asked.dryRun) {
      await servePreview(serving, request, asked)
      return
    }
    // Everything that is told is kept: who asked reads it there.
    const sink = { emit: () => undefined }
    const running = await deploy({ platform, ports, request: { ...request, leave }, sink })
    if (running.deployment !== undefined) await tellStarted(serving, running.deployment, asked)
    await running.done
  } catch (thrown) {
    await refuse(serving, asked, thrown)
  }
}

/** Once the deployment has begun its own records say what went wrong. */
async function refuse(
  serving: RequestServing,
  asked: DeploymentRequest,
  thrown: unknown,
): Promise<void> {
  if (producerOf(thrown) === 'store' || hasCode(thrown, 'STACK_BUSY')) throw thrown
  const { stack, key } = asked
  const { requests, journal } = serving.platform
  const code = thrown instanceof DeployError ? thrown.code : 'INTERNAL_ASSERTION'
  const message = messageOf(thrown)
  const kept = await requests.find(stack, key)
  if (kept !== undefined && kept.end === undefined)
    await endTold(serving, asked, { kind: 'refused', code, message })
  journal.write('warn', 'request.refused', { stack, key, code })
}
