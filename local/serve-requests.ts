import { archivedRequests } from '../functions/surroundings/archived-request.ts'
import { openSecrets } from '../functions/surroundings/open-secrets.ts'
import { createProgramFolders } from '../functions/surroundings/program-folder.ts'
import { servePreview } from '../functions/step-generator/serve-preview.ts'
import type { StackServer } from '../functions/step-generator/serve-stack.ts'
import type { GeneratorPorts } from '../functions/step-generator/start.ts'
import { createOwnKeeper } from '../shared/platform/aws/own-keeper.ts'
import { DeployError, hasCode, messageOf } from '../shared/errors/error.ts'
import type { Platform } from '../shared/ports/platform.ts'
import type { DeploymentRequest } from '../shared/records/request.ts'
import { producerOf } from '../shared/providers/whose-error.ts'
import { deploy } from './deploy.ts'

/** Opens what requests ask for: their archives are unpacked below a home folder. */
export function requestOpener(
  platform: Platform,
  about: { readonly home: string; readonly passphrase: string | undefined },
): Pick<StackServer, 'open' | 'reopen'> {
  const { home, passphrase } = about
  const keeper = createOwnKeeper(process.env)
  return archivedRequests(platform.requests, {
    folders: createProgramFolders(platform.blobs, home),
    secretsOf: (stack, named) => openSecrets({ keeper, passphrase }, stack, named),
  })
}

/** What serving a request works with. */
export interface RequestServing {
  readonly platform: Platform
  readonly ports: GeneratorPorts
  readonly open: StackServer['open']
}

/**
 * Runs what a request asks for in this process to its end, or until this is to leave. What the
 * asker must correct ends the request; what the store has to answer for is thrown, and the request
 * waits for the next look.
 */
export async function serveRequest(
  serving: RequestServing,
  asked: DeploymentRequest,
  leave: AbortSignal,
): Promise<void> {
  const { platform, ports, open } = serving
  try {
    const request = await open(asked)
    if (asked.dryRun) {
      await servePreview({ platform, ports }, request, asked)
      return
    }
    // Everything that is told is kept: who asked reads it there.
    const sink = { emit: () => undefined }
    const running = await deploy({ platform, ports, request: { ...request, leave }, sink })
    await running.done
  } catch (thrown) {
    await refuse(platform, asked, thrown)
  }
}

/** Once the deployment has begun its own records say what went wrong. */
async function refuse(
  { requests, journal }: Platform,
  { stack, key }: DeploymentRequest,
  thrown: unknown,
): Promise<void> {
  if (producerOf(thrown) === 'store' || hasCode(thrown, 'STACK_BUSY')) throw thrown
  const code = thrown instanceof DeployError ? thrown.code : 'INTERNAL_ASSERTION'
  const message = messageOf(thrown)
  const kept = await requests.find(stack, key)
  if (kept !== undefined && kept.end === undefined)
    await requests.end(stack, key, { kind: 'refused', code, message })
  journal.write('warn', 'request.refused', { stack, key, code })
}
