import { afterAll, test } from 'vitest'
import { checkCrash, crashes } from './crashes.ts'
import { removePlaces } from './resume.ts'

afterAll(removePlaces)

// A process that dies in one of them waits for nobody: several are under way at once.
test.concurrent.for(crashes)('a process dies $title', { timeout: 300_000 }, checkCrash)
