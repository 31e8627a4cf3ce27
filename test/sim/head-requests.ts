import { createError } from '../../shared/errors/error.ts'
import { freshHead, type Head } from '../../shared/records/head.ts'
import type { HeadEvent } from '../../shared/records/transitions.ts'
import type { SendEffect } from './send-effect.ts'
import { type SimHeadRequest, headRequestOf, type HeadWrites } from './heads.ts'
import type { World } from './world.ts'

/** Maximum number of copies after later changes of the head, besides the immediate copy. */
const copiesMax = 8

/**
 * Sends a request that changes a head. If the head is in a rare condition, the name of the effect
 * contains this condition, and a fault can wait for it. This function also applies the consequences
 * of such a fault: late copies, a repeated arrival, a stop. `run` runs when the request arrives.
 */
export function sendHeadRequest<T>(
  world: World,
  sendEffect: SendEffect,
  { request, run }: { readonly request: SimHeadRequest; readonly run: () => T | Promise<T> },
): Promise<T> {
  const { event, owner, deployment, id } = request
  const isPoisoned = world.operationsWithoutBegin.has(`${deployment} ${id}`)
  if (isPoisoned && event === 'begin')
    return sendEffect('operations.begin of poison', () => {
      throw damagedError()
    })
  if (isPoisoned && event === 'select' && owner === '')
    world.cover('rule', 'poisoned work is ended')
  return sendEffect(`operations.${nameOf(event, headOf(world, request))}`, (_call, kind) => {
    if (kind === 'no executor can begin an operation') {
      world.operationsWithoutBegin.add(`${deployment} ${id}`)
      throw damagedError()
    }
    const response = run()
    if (kind?.startsWith('copies of a') === true) copyLater(world, request, run)
    if (kind?.startsWith('stopped as') === true)
      void world.manualWrites.stop(deployment, 'graceful')
    const [first] = headOf(world, request).arrived
    if (kind === 'an arrival comes again after a lapse' && first !== undefined)
      world.scheduler.after(1, () => void world.manualWrites.arrive(deployment, id, first))
    return response
  })
}

function headOf(world: World, { deployment, id }: SimHeadRequest): Head {
  return world.records.operations.getHeads(deployment, [id]).get(id) ?? freshHead
}

/** Returns the name of an event. A rare condition of the head extends the name. */
function nameOf(event: HeadEvent, head: Head): string {
  const { owner, attempt, givenBack, arrived } = head
  if (event === 'begin') return owner === '' && attempt > givenBack ? 'begin again' : event
  if (event === 'giveBack') return attempt - 1 > givenBack ? 'giveBack of a second' : event
  return event === 'lapse' && arrived.length > 0 ? 'lapse of a waiter' : event
}

/** Sends a copy immediately, and one after each of the next `copiesMax` changes of the head. */
function copyLater<T>(
  world: World,
  { deployment, id }: SimHeadRequest,
  run: () => T | Promise<T>,
): void {
  let copies = 0
  // The result of a copy has no receiver.
  const copy = (): void => void Promise.resolve(run()).catch(() => undefined)
  const onChange = (): void => {
    copies += 1
    if (copies > copiesMax) world.headListeners.delete(`${deployment} ${id}`)
    else world.scheduler.after(0, copy)
  }
  world.headListeners.set(`${deployment} ${id}`, onChange)
  world.scheduler.after(0, copy)
}

function damagedError(): Error {
  return createError('RECORD_DAMAGED', 'the head cannot be read well enough to begin')
}

/** Creates the head methods of a process over the store of a world. */
export function createHeadWrites(world: World, sendEffect: SendEffect): HeadWrites {
  const { operations } = world.store
  const createSender =
    <Event extends HeadEvent>(event: Event) =>
    (...args: Parameters<HeadWrites[Event]>): ReturnType<HeadWrites[Event]> => {
      const run = operations[event] as (...args: unknown[]) => unknown
      const input = { request: headRequestOf(event, args), run: () => run(...args) }
      return sendHeadRequest(world, sendEffect, input) as ReturnType<HeadWrites[Event]>
    }
  return {
    arrive: createSender('arrive'),
    begin: createSender('begin'),
    giveBack: createSender('giveBack'),
    lapse: createSender('lapse'),
    select: createSender('select'),
  }
}
