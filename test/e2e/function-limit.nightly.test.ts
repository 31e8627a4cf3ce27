import { test } from 'vitest'
import { checkLongCall } from './function-limit.ts'

test('a call of three minutes under a limit of 20 s succeeds', () => checkLongCall(180), 400_000)
