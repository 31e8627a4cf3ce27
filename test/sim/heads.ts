import type { BeginResult } from '../../shared/ports/records.ts'
import { freshHead, type Head, type Verdict } from '../../shared/records/head.ts'
import type { DeploymentId, ExecutorId, OperationId, OwnerToken } from '../../shared/records/ids.ts'
import type { Asker, HeadEvent } from '../../shared/records/transitions.ts'

/** What a request did to a head: what an onlooker needs to judge it. */
export interface HeadChange {
  /** `<deployment> <operation>` */
  readonly at: string
  readonly event: HeadEvent
  readonly asker: Asker
  readonly isCurrent: boolean
  readonly before: Head
  readonly after: Head
  /** Whether it was answered as done. */
  readonly isDone: boolean
}

interface Attempt {
  readonly owner: OwnerToken | ''
  readonly attempt: number
}

/** The heads of all operations by `<deployment> <operation>`, with the conditions of the port. */
export function createHeads(changed: (change: HeadChange) => void) {
  const heads = new Map<string, Head>()
  const freed = new Set<string>()
  const note = (
    at: string,
    event: HeadEvent,
    about: { readonly named: Attempt; readonly after: Head; readonly isDone: boolean },
  ): void => {
    const { named, after, isDone } = about
    const before = heads.get(at) ?? freshHead
    const asker: Asker =
      named.owner === '' ? 'nobody' : named.owner === before.owner ? 'owner' : 'stranger'
    const isCurrent = named.attempt === before.attempt
    changed({ at, event, asker, isCurrent, before, after, isDone })
    if (after !== before) heads.set(at, after)
  }
  return {
    all: heads,
    at: (at: string): Head | undefined => heads.get(at),
    arrive(deployment: DeploymentId, to: OperationId, from: OperationId): Head {
      const at = `${deployment} ${to}`
      const before = heads.get(at) ?? freshHead
      const isNew = !before.arrived.includes(from)
      const after = isNew ? { ...before, arrived: [...before.arrived, from] } : before
      note(at, 'arrive', { named: { owner: '', attempt: before.attempt }, after, isDone: isNew })
      return after
    },
    begin(
      at: string,
      claim: {
        readonly owner: OwnerToken
        readonly executor: ExecutorId
        readonly attempt: number
        readonly needs: number
      },
    ): BeginResult {
      const { owner, executor, attempt, needs } = claim
      const head = heads.get(at) ?? freshHead
      const isFree = head.end === undefined && (head.owner === '' || head.owner === owner)
      if (isFree && head.attempt === attempt && head.arrived.length >= needs) {
        const after = { ...head, owner, executor, attempt: attempt + 1 }
        note(at, 'begin', { named: claim, after, isDone: true })
        return { kind: 'begun', attempt: attempt + 1 }
      }
      const isRepeated =
        head.end === undefined && head.owner === owner && head.attempt === attempt + 1
      note(at, 'begin', { named: claim, after: head, isDone: isRepeated })
      return isRepeated ? { kind: 'begun', attempt: head.attempt } : { kind: 'refused', head }
    },
    free(at: string, asked: Attempt & { readonly event: 'giveBack' | 'lapse' }): boolean {
      const { owner, attempt, event } = asked
      const head = heads.get(at) ?? freshHead
      const mark = `${at} ${event} ${owner} ${attempt}`
      const isMine = head.end === undefined && owner !== '' && head.owner === owner
      if (isMine && head.attempt === attempt) {
        const givenBack = head.givenBack + (event === 'giveBack' ? 1 : 0)
        const after: Head = { ...head, owner: '', executor: '', givenBack }
        note(at, event, { named: asked, after, isDone: true })
        freed.add(mark)
        return true
      }
      // The mark stands in the head: it is gone with it.
      const isRepeated = heads.has(at) && freed.has(mark)
      note(at, event, { named: asked, after: head, isDone: isRepeated })
      return isRepeated
    },
    select(at: string, end: Attempt & { readonly verdict: Verdict }): boolean {
      const { owner, attempt, verdict } = end
      const head = heads.get(at) ?? freshHead
      if (head.end === undefined && head.owner === owner && head.attempt === attempt) {
        const after = { ...head, end: { verdict, attempt } }
        note(at, 'select', { named: end, after, isDone: true })
        return true
      }
      const isRepeated =
        head.end?.verdict === verdict && head.end.attempt === attempt && head.owner === owner
      note(at, 'select', { named: end, after: head, isDone: isRepeated })
      return isRepeated
    },
  }
}
