import { afterAll, test } from 'vitest'
import { checkCrash, fullTierCrashes } from './crashes.ts'
import { removePreparedHomes } from './resume.ts'

afterAll(removePreparedHomes)

// Every case has an engine of its own, so several cases run at the same time.
test.concurrent.for(fullTierCrashes)('a process that dies $title', { timeout: 300_000 }, checkCrash)
