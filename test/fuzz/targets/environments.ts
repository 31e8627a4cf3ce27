import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepDigits } from '../../../shared/programs/config/config-tree.ts'
import { openStackConfig } from '../../../shared/programs/config/stack-config.ts'
import {
  filesOfEnvironment,
  variablesOfEnvironment,
  withEnvironmentConfig,
} from '../../../shared/programs/environments/environment-config.ts'
import {
  type EnvironmentValue,
  formatValueAsJson,
  toEnvironmentValue,
} from '../../../shared/programs/environments/environment-value.ts'
import { environmentsFolder } from '../../../shared/programs/environments/read-environment.ts'
import { type FuzzTarget, requireLaw } from '../fuzz-target.ts'

const project = mkdtempSync(join(tmpdir(), 'antichain-fuzz-'))
const folder = join(project, environmentsFolder)
mkdirSync(folder)

/** The names of the files of environments, in the order of the parts of an input. */
const names = ['dev', 'base', 'more']
const separator = '\n===\n'

function checkValue(value: EnvironmentValue): void {
  const json = formatValueAsJson(value)
  const reread = toEnvironmentValue(JSON.parse(json, keepDigits), false)
  requireLaw(formatValueAsJson(reread) === json, 'the JSON of an environment has the same value')
  variablesOfEnvironment(value)
  filesOfEnvironment(value)
  withEnvironmentConfig(new Map([['shop:a', 'b']]), value, {
    project: 'shop',
    encrypt: text => `v1:${text.length}`,
  })
}

/**
 * Environments of a project: the stack file, and then the files `dev`, `base` and `more` below
 * `environments/`, each after a line `===`.
 */
export const environmentsTarget: FuzzTarget = {
  decode(input) {
    const [stackFile = '', ...texts] = new TextDecoder().decode(input).split(separator)
    for (const [index, name] of names.entries())
      writeFileSync(join(folder, `${name}.yaml`), texts[index] ?? '')
    const config = openStackConfig(stackFile, 'Pulumi.dev.yaml', 'shop')
    checkValue(config.readEnvironment(project))
  },
  close: async () => rmSync(project, { recursive: true }),
}
