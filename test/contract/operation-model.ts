import { describe, expect, test } from 'vitest'
import type { OperationsPort } from '../../shared/ports/records.ts'
import { type Head, freshHead } from '../../shared/records/head.ts'
import type { DeploymentId } from '../../shared/records/ids.ts'
import { createDraw, type Draw } from '../sim/draw.ts'
import { createHeads } from '../sim/heads.ts'
import {
  type Open,
  executorId,
  freshDeployment,
  operationId,
  ownerToken,
  whileOpen,
} from './opened.ts'

const id = operationId(1)
const executor = executorId('e')
const needs = 2
const sequences = 40
const requestsEach = 25

type Model = ReturnType<typeof createHeads>

/** One request as the adapter and the model are both asked it. */
interface Both {
  readonly said: string
  readonly adapter: (operations: OperationsPort, deployment: DeploymentId) => Promise<unknown>
  readonly model: (model: Model, deployment: DeploymentId) => unknown
}

/** A request of any kind: mostly one that the head could take, else one that it must refuse. */
function drawRequest(draw: Draw, { attempt: now }: Head): Both {
  const name = draw.pick(['a', 'b', 'c'])
  const attempt = Math.max(0, now + draw.pick([0, 0, 0, -1, 1]))
  const verdict = draw.pick(['succeeded', 'interrupted'] as const)
  const owner = ownerToken(name)
  const from = operationId(draw.whole(7, 9))
  const at = (deployment: DeploymentId): string => `${deployment} ${id}`
  const claim = { owner, executor, attempt, needs }
  const end = { owner: draw.chance(0.3) ? ('' as const) : owner, attempt, verdict }
  const free = (event: 'giveBack' | 'lapse'): Both => ({
    said: `${event} ${name} ${attempt}`,
    adapter: (operations, deployment) => operations[event](deployment, id, owner, attempt),
    model: (model, deployment) => model.free(at(deployment), { owner, attempt, event }),
  })
  const arrive: Both = {
    said: `arrive ${from}`,
    adapter: (operations, deployment) => operations.arrive(deployment, id, from),
    model: (model, deployment) => model.arrive(deployment, id, from),
  }
  const begin: Both = {
    said: `begin ${name} ${attempt}`,
    adapter: (operations, deployment) => operations.begin(deployment, id, claim),
    model: (model, deployment) => model.begin(at(deployment), claim),
  }
  const select: Both = {
    said: `select ${end.owner} ${attempt} ${verdict}`,
    adapter: (operations, deployment) => operations.select(deployment, id, end),
    model: (model, deployment) => model.select(at(deployment), end),
  }
  return draw.pick([arrive, arrive, begin, begin, free('giveBack'), free('lapse'), select])
}

/** Arrivals are a set: their order says nothing. */
function plain(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer), (key, value: unknown) =>
    key === 'arrived' && Array.isArray(value)
      ? value.toSorted((one, other) => Number(one) - Number(other))
      : value,
  )
}

/**
 * An adapter makes its conditions from the table of transitions, as may this suite's expectations;
 * the model of the simulation states them in its own words. Both must answer alike.
 */
export function operationModelContract(
  name: string,
  open: Open<{ readonly operations: OperationsPort }>,
): void {
  describe(`heads and their model: ${name}`, () => {
    let operations: OperationsPort
    whileOpen(open, given => {
      operations = given.operations
    })

    test('requests in any order are answered as by the model, and leave the same head', async () => {
      const run = async (seed: number): Promise<void> => {
        const draw = createDraw(seed)
        const deployment = freshDeployment()
        const model = createHeads(() => undefined)
        const trace: string[] = []
        for (let number = 0; number < requestsEach; number++) {
          const head = model.at(`${deployment} ${id}`) ?? freshHead
          const request = drawRequest(draw, head)
          trace.push(request.said)
          const answer = await request.adapter(operations, deployment)
          const expected = request.model(model, deployment)
          expect(plain(answer), trace.join(', ')).toEqual(plain(expected))
        }
        const head = (await operations.getHeads(deployment, [id])).get(id) ?? freshHead
        expect(plain(head)).toEqual(plain(model.at(`${deployment} ${id}`) ?? freshHead))
      }
      await Promise.all(Array.from({ length: sequences }, (_, seed) => run(seed + 1)))
    })
  })
}
