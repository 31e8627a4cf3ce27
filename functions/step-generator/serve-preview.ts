import { scrubberOf } from '../surroundings/scrub.ts'
import type { EventSink } from '../../shared/engine/events/event.ts'
import type { DeployRequest } from '../../shared/engine/request.ts'
import type { RequestsPort } from '../../shared/ports/requests.ts'
import type { DeploymentRequest } from '../../shared/records/request.ts'
import { surround } from '../surroundings/surround.ts'
import { inEnvironment, type LifeDeps } from './serve-life.ts'
import { previewRun } from './preview-run.ts'

/** Errors of a preview that are kept, and characters of each. */
const errorsMax = 20
const errorCharactersMax = 1_000

/** Runs a preview that was asked for, and keeps what it came to with its request. */
export async function servePreview(
  server: LifeDeps & { readonly requests: RequestsPort },
  request: DeployRequest,
  { stack, key }: DeploymentRequest,
): Promise<'ended'> {
  const { platform, ports, hosts, requests } = server
  const scrub = scrubberOf(request)
  const errors: string[] = []
  const sink: EventSink = {
    emit(event) {
      if (!('diagnosticEvent' in event) || errors.length >= errorsMax) return
      const { severity, message } = event.diagnosticEvent
      if (severity === 'error') errors.push(scrub(message).slice(0, errorCharactersMax))
    },
  }
  const given = { platform, ports, request, sink, ...(hosts === undefined ? {} : { hosts }) }
  const asked = await inEnvironment(server, given)
  const startedMs = platform.clock.monotonicMs()
  const { done } = previewRun(asked, await surround(asked), startedMs)
  const { result, changes } = await done
  const came = result === 'interrupted' ? 'cancelled' : result
  await requests.end(stack, key, { kind: 'previewed', result: came, changes, errors })
  return 'ended'
}
