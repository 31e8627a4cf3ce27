import { createLocalHints } from '../../shared/platform/aws/hints.ts'
import { silentLog } from '../../shared/platform/system/log.ts'
import { hintsContract } from '../contract/nudges.ts'

hintsContract('AWS, one process', async () => ({
  ports: { hints: createLocalHints(silentLog) },
  close: async () => undefined,
}))
