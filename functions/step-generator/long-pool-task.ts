import { runLongPool } from '../aws/run-long-pool.ts'
import { serveNextNudge } from './serve-next-nudge.ts'

await runLongPool('generator', 'nudges-long', serveNextNudge)
