import { test } from 'vitest'
import { checkBudget, measureRequests } from './budget.ts'

test('1,000 resources stay within the request budget', { timeout: 1_200_000 }, async () => {
  checkBudget(await measureRequests(1_000))
})
