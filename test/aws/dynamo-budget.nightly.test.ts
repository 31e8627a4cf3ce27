import { test } from 'vitest'
import { checkBudget, measureRequests } from './budget.ts'

test('10,000 resources stay within the request budget', { timeout: 1_200_000 }, async () => {
  checkBudget(await measureRequests(10_000))
})
