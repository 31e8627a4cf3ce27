import { afterAll, test } from 'vitest'
import { checkCrash, crashes } from './crashes.ts'
import { removePreparedHomes } from './resume.ts'

afterAll(removePreparedHomes)

// Every case has an engine of its own, so several cases run at the same time.
test.concurrent.for(crashes)('a process that dies $title', { timeout: 300_000 }, checkCrash)
