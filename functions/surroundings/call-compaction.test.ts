import { expect, test } from 'vitest'
import type { DeploymentId } from '../../shared/records/ids.ts'
import { byFunction, type Invokes } from './call-compaction.ts'

const deployment = 'organization/shop/dev/7' as DeploymentId
const functionArn = 'arn:aws:lambda:eu-central-1:1:function:antichain-compaction'
const byItself = { version: 9, snapshot: 'here' }

type Answer = Readonly<Record<string, unknown>> | Error

async function folded(answer: Answer) {
  const asked: unknown[] = []
  const told: unknown[] = []
  const lambda = {
    send: async ({ input }: { readonly input: unknown }) => {
      asked.push(input)
      if (answer instanceof Error) throw answer
      return answer
    },
  } as unknown as Invokes
  const compact = byFunction({
    lambda,
    functionArn,
    here: async () => byItself as never,
    journal: { write: (...line) => void told.push(line) },
  })
  return { came: await compact(deployment), asked, told }
}

test('the fold is that of the function, which is told of the deployment only', async () => {
  const Payload = Buffer.from(JSON.stringify({ version: 8, snapshot: 'there' }))
  const { came, asked, told } = await folded({ Payload })
  expect(came).toEqual({ version: 8, snapshot: 'there' })
  expect(told).toEqual([])
  const [{ FunctionName, Payload: sent }] = asked as [{ FunctionName: string; Payload: Buffer }]
  expect(FunctionName).toBe(functionArn)
  expect(JSON.parse(sent.toString())).toEqual({ kind: 'compact', deployment })
})

test.each<readonly [string, Answer]>([
  ['cannot be called', new Error('Rate exceeded')],
  ['dies', { FunctionError: 'Unhandled', Payload: Buffer.from('{"errorMessage":"gone"}') }],
  ['answers something else', { Payload: Buffer.from('{"nudged":1}') }],
  ['answers nothing', {}],
])('a function that %s is made up for, and said', async (_what, answer) => {
  const { came, told } = await folded(answer)
  expect(came).toBe(byItself)
  expect(told).toMatchObject([['warn', 'compaction.uncalled', { deployment }]])
})
