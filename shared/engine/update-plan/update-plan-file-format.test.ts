import { expect, test } from 'vitest'
import { readUpdatePlan } from './update-plan-file-format.ts'

test('a plan of another stack is refused with the name of the requested stack and a URN of the plan', () => {
  const urn = 'urn:pulumi:prod::shop::pulumi:pulumi:Stack::shop-prod'
  const text = JSON.stringify({ manifest: {}, resourcePlans: { [urn]: {} } })
  const decrypt = (ciphertext: string): string => ciphertext
  expect(() => readUpdatePlan(text, { stack: 'dev', project: 'shop', decrypt })).toThrow(
    `the plan is not for stack 'dev' of project 'shop': it contains '${urn}'`,
  )
})
