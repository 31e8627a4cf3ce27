import { createEventRecorder } from '../shared/engine/events/recorder.ts'
import type { EventSink } from '../shared/engine/events/event.ts'
import type { Pin } from '../shared/engine/deployment/log-view.ts'
import { standingOf } from '../shared/engine/deployment/take-over.ts'
import type { DeployRequest } from '../shared/engine/request.ts'
import { hasCode, messageOf } from '../shared/errors/error.ts'
import type { EmbeddedPlatform } from '../shared/platform/embedded/platform.ts'
import {
  deploymentPartsOf,
  type DeploymentId,
  type LogNumber,
  type StackId,
} from '../shared/records/ids.ts'
import type { GeneratorPorts } from '../functions/step-generator/start.ts'
import { attend } from './attend.ts'

/** What a process that serves does. */
export type ServeRole = 'generator' | 'executor'

/** How a process serves. */
export interface ServeOptions {
  readonly roles: ReadonlySet<ServeRole>
  /** What a deployment was asked with, found again from where its pin says. */
  readonly requestOf: (deployment: DeploymentId, pin: Pin) => Promise<DeployRequest>
  /** Goes on with an interrupted deployment until it has ended. */
  readonly resume: (deployment: DeploymentId, pin: Pin) => Promise<unknown>
  /** How long each executor may last, in ms; see `DeployRequest`. */
  readonly functionLimitMs: number | undefined
  /** Tells a person something, one line. */
  readonly said: (line: string) => void
  /** Aborts when the process is to end: nothing new is begun, what runs is awaited. */
  readonly over: AbortSignal
}

interface Serving {
  readonly platform: EmbeddedPlatform
  readonly ports: GeneratorPorts
}

/** How often the catalog is looked through, in ms. */
const lookMs = 1_000

/**
 * Serves every stack of the store until it is told to end: as a generator it goes on with
 * deployments whose holder died, as an executor it runs operations of those that ask for it. What
 * it cannot go on with it says once and leaves to a person.
 */
export async function serve(serving: Serving, options: ServeOptions): Promise<void> {
  const { platform } = serving
  const busy = new Map<DeploymentId, Promise<void>>()
  const refused = new Set<DeploymentId>()
  const hidden = new Set<StackId>()
  const begin = (deployment: DeploymentId, work: () => Promise<unknown>): void => {
    const done = work()
      .then(
        () => undefined,
        (thrown: unknown) => {
          if (isPassing(thrown)) return
          refused.add(deployment)
          options.said(`${deployment}: ${messageOf(thrown)}`)
        },
      )
      .finally(() => busy.delete(deployment))
    busy.set(deployment, done)
  }
  while (!options.over.aborted) {
    const { stacks, unreadable } = await platform.catalog.stacks()
    for (const { id, why } of unreadable) {
      if (hidden.has(id)) continue
      hidden.add(id)
      options.said(`${id}: ${messageOf(why)}`)
    }
    for (const { current } of stacks) {
      if (current === '' || busy.has(current) || refused.has(current)) continue
      const work = await workFor(serving, options, current)
      if (work !== undefined) begin(current, work)
    }
    await platform.clock.sleep(lookMs, options.over)
  }
  await Promise.all(busy.values())
}

/** Another process was faster, or there is nothing left to do. */
function isPassing(thrown: unknown): boolean {
  return (
    hasCode(thrown, 'NOTHING_TO_RESUME') ||
    hasCode(thrown, 'DEPLOYMENT_TAKEN_OVER') ||
    hasCode(thrown, 'STACK_BUSY')
  )
}

/** What this process can do for a deployment now. */
async function workFor(
  serving: Serving,
  options: ServeOptions,
  deployment: DeploymentId,
): Promise<(() => Promise<unknown>) | undefined> {
  const { platform, ports } = serving
  const control = await platform.control.read(deployment)
  if (control === undefined || control.closed) return undefined
  const pin = await pinOf(platform, deployment)
  if (pin === undefined) return undefined
  if (options.roles.has('executor') && pin.options.execute === 'elsewhere')
    return () => attendOne(serving, options, { deployment, pin })
  if (!options.roles.has('generator')) return undefined
  const standing = await standingOf(ports, deployment)
  if (standing.kind !== 'dead') return undefined
  return () => options.resume(deployment, pin)
}

async function pinOf(
  platform: EmbeddedPlatform,
  deployment: DeploymentId,
): Promise<Pin | undefined> {
  // It follows the take-over at once: what a running deployment decided since is not read.
  const records = await platform.log.read(deployment, 0 as LogNumber, 2)
  return records
    .flatMap(({ decisions }) => decisions)
    .find((decision): decision is Pin => decision.kind === 'pin')
}

/** Runs operations of one deployment until that is closed. */
async function attendOne(
  { platform, ports }: Serving,
  options: ServeOptions,
  { deployment, pin }: { readonly deployment: DeploymentId; readonly pin: Pin },
): Promise<void> {
  const request = await options.requestOf(deployment, pin)
  const recorder = createEventRecorder(platform, deployment, `executor-${platform.random.uuid()}`)
  // Steps are told by the generator, who learns of every end; from here come only messages.
  const sink: EventSink = {
    emit: event => {
      if ('diagnosticEvent' in event) recorder.emit(event)
    },
  }
  const asked = { platform, ports, request, sink }
  const { functionLimitMs: limitMs, over } = options
  options.said(`running operations of deployment ${deploymentPartsOf(deployment).number}`)
  try {
    await attend(asked, { deployment, limitMs, over }).done
  } finally {
    await recorder.flush()
  }
}
