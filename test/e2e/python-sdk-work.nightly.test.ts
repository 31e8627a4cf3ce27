import { join } from 'node:path'
import { test } from 'vitest'
import { expectSameResults } from './python-sdk-work.ts'
import { createVirtualEnvironment, describeWithCommands } from './toolchains.ts'

const requirements = join(import.meta.dirname, '../fixtures/programs/python/requirements.txt')

describeWithCommands(
  'the reduced work of the Python SDK',
  [['python3', '-m', 'venv', '--help']],
  () => {
    test(
      'changes neither states, with their source positions, nor the report of a failed output',
      () => expectSameResults(createVirtualEnvironment(requirements)),
      900_000,
    )
  },
)
