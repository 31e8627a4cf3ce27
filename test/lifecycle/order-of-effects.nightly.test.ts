import { afterAll, test } from 'vitest'
import { checkCrash, crashes, fullTierCrashes } from './crashes.ts'
import { removePreparedHomes } from './resume.ts'

afterAll(removePreparedHomes)

const otherCrashes = crashes.filter(crash => !fullTierCrashes.includes(crash))

test.concurrent.for(otherCrashes)('a process that dies $title', { timeout: 300_000 }, checkCrash)
