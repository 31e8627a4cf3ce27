import { describe, expect, test } from 'vitest'
import type { OperationsPort } from '../../shared/ports/records.ts'
import { type Head, freshHead } from '../../shared/records/head.ts'
import type { DeploymentId } from '../../shared/records/ids.ts'
import { createDraw, type SeededDraw } from '../sim/draw.ts'
import { createHeads } from '../sim/heads.ts'
import {
  type OpenAdapter,
  toExecutorId,
  createDeploymentId,
  toOperationId,
  toOwnerToken,
  withAdapter,
} from './open-adapter.ts'

const id = toOperationId(1)
const executor = toExecutorId('e')
const needs = 2
const sequenceCount = 40
const requestsPerSequence = 25

type Model = ReturnType<typeof createHeads>

/** One request, as a call of the adapter and as a call of the model. */
interface ModelledRequest {
  readonly label: string
  readonly adapter: (operations: OperationsPort, deployment: DeploymentId) => Promise<unknown>
  readonly model: (model: Model, deployment: DeploymentId) => unknown
}

/**
 * Draws a request of any kind. In three of five cases its attempt is the current one, so that both
 * accepted and refused requests are frequent.
 */
function drawRequest(draw: SeededDraw, { attempt: currentAttempt }: Head): ModelledRequest {
  const name = draw.pick(['a', 'b', 'c'])
  const attempt = Math.max(0, currentAttempt + draw.pick([0, 0, 0, -1, 1]))
  const verdict = draw.pick(['succeeded', 'interrupted'] as const)
  const owner = toOwnerToken(name)
  const arrivingId = toOperationId(draw.integer(7, 9))
  const keyOf = (deployment: DeploymentId): string => `${deployment} ${id}`
  const beginRequest = { owner, executor, expectedAttempt: attempt, needs }
  const end = { owner: draw.chance(0.3) ? ('' as const) : owner, attempt, verdict }
  const createOwnerRemoval = (event: 'giveBack' | 'lapse'): ModelledRequest => ({
    label: `${event} ${name} ${attempt}`,
    adapter: (operations, deployment) => operations[event](deployment, id, owner, attempt),
    model: (model, deployment) => model.removeOwner(keyOf(deployment), { owner, attempt, event }),
  })
  const arrive: ModelledRequest = {
    label: `arrive ${arrivingId}`,
    adapter: (operations, deployment) => operations.arrive(deployment, id, arrivingId),
    model: (model, deployment) => model.arrive(deployment, id, arrivingId),
  }
  const begin: ModelledRequest = {
    label: `begin ${name} ${attempt}`,
    adapter: (operations, deployment) => operations.begin(deployment, id, beginRequest),
    model: (model, deployment) => model.begin(keyOf(deployment), beginRequest),
  }
  const select: ModelledRequest = {
    label: `select ${end.owner} ${attempt} ${verdict}`,
    adapter: (operations, deployment) => operations.select(deployment, id, end),
    model: (model, deployment) => model.select(keyOf(deployment), end),
  }
  return draw.pick([
    arrive,
    arrive,
    begin,
    begin,
    createOwnerRemoval('giveBack'),
    createOwnerRemoval('lapse'),
    select,
  ])
}

/** Sorts the arrivals in an answer, because their order has no meaning. */
function sortArrivals(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer), (key, value: unknown) =>
    key === 'arrived' && Array.isArray(value)
      ? value.toSorted((one, other) => Number(one) - Number(other))
      : value,
  )
}

/**
 * Runs requests against an adapter and the simulation's model. Both must give the same answers.
 * Adapters derive their conditions from the table of transitions, and the model states them
 * independently.
 */
export function defineOperationModelContract(
  name: string,
  open: OpenAdapter<{ readonly operations: OperationsPort }>,
): void {
  describe(`heads and their model: ${name}`, () => {
    let operations: OperationsPort
    withAdapter(open, adapter => {
      operations = adapter.operations
    })

    test('requests in any order have the same results as in the model, and leave the same head', async () => {
      const run = async (seed: number): Promise<void> => {
        const draw = createDraw(seed)
        const deployment = createDeploymentId()
        const model = createHeads(() => undefined)
        const trace: string[] = []
        for (let number = 0; number < requestsPerSequence; number++) {
          const head = model.getHead(`${deployment} ${id}`) ?? freshHead
          const request = drawRequest(draw, head)
          trace.push(request.label)
          const answer = await request.adapter(operations, deployment)
          const expected = request.model(model, deployment)
          expect(sortArrivals(answer), trace.join(', ')).toEqual(sortArrivals(expected))
        }
        const head = (await operations.getHeads(deployment, [id])).get(id) ?? freshHead
        expect(sortArrivals(head)).toEqual(
          sortArrivals(model.getHead(`${deployment} ${id}`) ?? freshHead),
        )
      }
      await Promise.all(Array.from({ length: sequenceCount }, (_, seed) => run(seed + 1)))
    })
  })
}
