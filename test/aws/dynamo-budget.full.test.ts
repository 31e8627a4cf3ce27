import { test } from 'vitest'
import { checkSpent, measureSpending } from './budget.ts'

test('1,000 resources cost no more than the budget allows', { timeout: 1_200_000 }, async () => {
  checkSpent(await measureSpending(1_000))
})
