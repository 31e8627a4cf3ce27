import { test } from 'vitest'
import { checkSpent, measureSpending } from './budget.ts'

test('10,000 resources stay within the request budget', { timeout: 1_200_000 }, async () => {
  checkSpent(await measureSpending(10_000))
})
