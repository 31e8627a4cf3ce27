import { test } from 'vitest'
import { checkSpent, measureSpending } from './budget.ts'

test('1,000 resources stay within the request budget', { timeout: 1_200_000 }, async () => {
  checkSpent(await measureSpending(1_000))
})
