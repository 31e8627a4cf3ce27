import { expect, test } from 'vitest'
import { readPlan } from './plan-file-format.ts'

test('the refusal of a plan of another stack names the stack that the plan was not made for', () => {
  const urn = 'urn:pulumi:prod::shop::pulumi:pulumi:Stack::shop-prod'
  const text = JSON.stringify({ manifest: {}, resourcePlans: { [urn]: {} } })
  const decrypt = (ciphertext: string): string => ciphertext
  expect(() => readPlan(text, { stack: 'dev', project: 'shop', decrypt })).toThrow(
    `the plan is not for stack 'dev' of project 'shop': it contains '${urn}'`,
  )
})
