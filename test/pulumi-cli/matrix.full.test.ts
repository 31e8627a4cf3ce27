import { test } from 'vitest'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { cliVersions } from './build-cli.ts'
import { type MatrixCase, runMatrixCase } from './matrix.ts'

const [version] = cliVersions
const cases: readonly MatrixCase[] = [
  { version, secrets: 'service', resourceCount: 1, valueChars: 16_000 },
  {
    ...{ version, secrets: 'service', resourceCount: 30, valueChars: 16_000 },
    sendsCheckpoints: true,
  },
  { version, secrets: 'passphrase', resourceCount: 30, valueChars: 10 },
  { version, secrets: 'none', resourceCount: 100, valueChars: 1_000 },
]

describeWithCommands(
  "operations × secrets × sizes of Pulumi's command line",
  [['go', 'version']],
  () => {
    test.each(cases)(
      '$resourceCount resources of $valueChars characters are the same for both command lines, secrets: $secrets, checkpoints: $sendsCheckpoints',
      { timeout: 900_000 },
      runMatrixCase,
    )
  },
)
