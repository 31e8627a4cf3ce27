import { expect, test } from 'vitest'
import type { DeploymentId } from '../../records/ids.ts'
import type { LambdaInvoker } from '../../platform/aws/lambda-client.ts'
import { createCompactionCaller } from './call-compaction.ts'

const deployment = 'organization/shop/dev/7' as DeploymentId
const functionArn = 'arn:aws:lambda:eu-central-1:1:function:antichain-compaction'
const compactedHere = { version: 9, snapshot: 'here' }

type Answer = Readonly<Record<string, unknown>> | Error

async function compactWith(answer: Answer) {
  const requests: unknown[] = []
  const logged: unknown[] = []
  const lambda = {
    send: async ({ input }: { readonly input: unknown }) => {
      requests.push(input)
      if (answer instanceof Error) throw answer
      return answer
    },
  } as unknown as LambdaInvoker
  const compact = createCompactionCaller({
    lambda,
    functionArn,
    compactHere: async () => compactedHere as never,
    logger: { write: (...line) => void logged.push(line) },
  })
  return { compacted: await compact(deployment), requests, logged }
}

test('the compaction function folds the deployment, and its request contains only the deployment', async () => {
  const Payload = Buffer.from(JSON.stringify({ version: 8, snapshot: 'there' }))
  const { compacted, requests, logged } = await compactWith({ Payload })
  expect(compacted).toEqual({ version: 8, snapshot: 'there' })
  expect(logged).toEqual([])
  const [{ FunctionName, Payload: sent }] = requests as [{ FunctionName: string; Payload: Buffer }]
  expect(FunctionName).toBe(functionArn)
  expect(JSON.parse(sent.toString())).toEqual({ kind: 'compact', deployment })
})

test.each<readonly [string, Answer]>([
  ['cannot be called', new Error('Rate exceeded')],
  ['dies', { FunctionError: 'Unhandled', Payload: Buffer.from('{"errorMessage":"gone"}') }],
  ['gives an answer of another form', { Payload: Buffer.from('{"nudged":1}') }],
  ['answers nothing', {}],
])(
  'when the function %s, the caller folds the deployment itself, and logs this',
  async (_what, answer) => {
    const { compacted, logged } = await compactWith(answer)
    expect(compacted).toBe(compactedHere)
    expect(logged).toMatchObject([['warn', 'compaction.uncalled', { deployment }]])
  },
)
