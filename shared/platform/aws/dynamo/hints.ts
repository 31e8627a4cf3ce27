import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import { messageOf } from '../../../errors/error.ts'
import type { HintsPort } from '../../../ports/queue.ts'
import type { ClockPort, LogPort, RandomPort } from '../../../ports/system.ts'
import type { DeploymentId, OperationId } from '../../../records/ids.ts'
import { itemOf, type Item, numbers, numbersOf, text } from './item.ts'
import { journalKeys as keys, paddedTime } from './keys.ts'
import { putItem, queryItems, type Table } from './table.ts'

type Heard = (operation: OperationId) => void

/** What hints through the journal need. */
interface HintsDeps {
  readonly journal: Table
  readonly clock: ClockPort
  readonly random: RandomPort
  readonly log: LogPort
}

/**
 * Hints between functions: those of a moment are one small item of the deployment, which expires by
 * itself, and whoever listens reads on from the last that it saw, every second. Listeners of the
 * same process hear at once. Hints get lost when a function is frozen or a clock is far behind:
 * they are a shortcut, never the truth.
 */
export function createJournalHints(deps: HintsDeps): HintsPort {
  const { clock, log } = deps
  const listeners = new Map<DeploymentId, Set<Heard>>()
  const waiting = new Map<DeploymentId, Set<OperationId>>()
  const tell = (deployment: DeploymentId, operation: OperationId): void => {
    for (const heard of listeners.get(deployment) ?? []) heard(operation)
  }
  const send = async (deployment: DeploymentId): Promise<void> => {
    await clock.sleep(limits.hintsGatherMs)
    const operations = [...(waiting.get(deployment) ?? [])]
    waiting.delete(deployment)
    await put(deps, deployment, operations).catch((thrown: unknown) =>
      log.write('debug', 'hint.lost', { deployment, reason: messageOf(thrown) }),
    )
  }
  return {
    hint(deployment, operation) {
      tell(deployment, operation)
      const known = waiting.get(deployment)
      if (known !== undefined) return void known.add(operation)
      waiting.set(deployment, new Set([operation]))
      void send(deployment)
    },
    listen(deployment, heard) {
      const others = listeners.get(deployment) ?? new Set()
      listeners.set(deployment, others)
      const mine: Heard = operation => heard(operation)
      others.add(mine)
      const endReading = readOn(deps, deployment, mine)
      return () => {
        others.delete(mine)
        if (others.size === 0) listeners.delete(deployment)
        endReading()
      }
    },
  }
}

async function put(
  { journal, clock, random }: HintsDeps,
  deployment: DeploymentId,
  operations: readonly OperationId[],
): Promise<void> {
  const now = clock.now()
  const expires = Math.ceil((now + limits.hintsKeptMs) / 1_000)
  const key = keys.hint(deployment, `${paddedTime(now)} ${random.uuid()}`)
  const item = { ...itemOf({ expires }), operations: numbersOf(operations) }
  await putItem(journal, { key, item, ifAbsent: false })
}

/**
 * Reads what is new every second, a little of what was seen included: two functions' clocks differ.
 */
function readOn(
  { journal, clock, log }: HintsDeps,
  deployment: DeploymentId,
  heard: Heard,
): () => void {
  let from = clock.now() - limits.hintsOverlapMs
  let seen = new Set<string>()
  let isReading = false
  const read = async (): Promise<void> => {
    const { pk } = keys.hint(deployment, '')
    const atLeast = paddedTime(Math.max(0, from))
    const items = await queryItems(journal, { pk, atLeast, limit: limits.hintsPerReadMax })
    const news = items.filter(item => !seen.has(text(item, 'sk')))
    seen = new Set(items.map(item => text(item, 'sk')))
    for (const item of news)
      for (const operation of numbers(item, 'operations')) heard(operation as OperationId)
    from = Math.max(from, timeOf(items.at(-1)) - limits.hintsOverlapMs)
  }
  const end = clock.every(limits.hintsReadMs, () => {
    if (isReading) return
    isReading = true
    read()
      .catch((thrown: unknown) =>
        log.write('debug', 'hint.lost', { deployment, reason: messageOf(thrown) }),
      )
      .finally(() => (isReading = false))
  })
  return end
}

function timeOf(item: Item | undefined): number {
  return item === undefined ? 0 : Number(text(item, 'sk').split(' ', 1)[0])
}
