import { expect, test } from 'vitest'
import { readUpdatePlan } from './update-plan-file-format.ts'

test('a planned property may have the name __proto__', () => {
  const urn = 'urn:pulumi:dev::shop::a:b:C::c'
  const goal = `{"type":"a:b:C","name":"c","custom":true,"inputDiff":{"adds":{"__proto__":1}}}`
  const text = `{"manifest":{},"resourcePlans":{"${urn}":{"goal":${goal}}}}`
  const decrypt = (ciphertext: string): string => ciphertext
  const plan = readUpdatePlan(text, { stack: 'dev', project: 'shop', decrypt })
  const [planned] = [...plan.resources.values()]
  expect(planned?.goal?.inputs.adds).toEqual(new Map([['__proto__', 1]]))
})

test('a plan of another stack is refused with the name of the requested stack and a URN of the plan', () => {
  const urn = 'urn:pulumi:prod::shop::pulumi:pulumi:Stack::shop-prod'
  const text = JSON.stringify({ manifest: {}, resourcePlans: { [urn]: {} } })
  const decrypt = (ciphertext: string): string => ciphertext
  expect(() => readUpdatePlan(text, { stack: 'dev', project: 'shop', decrypt })).toThrow(
    `the plan is not for stack 'dev' of project 'shop': it contains '${urn}'`,
  )
})
