import { parseConfigPath } from '../../../shared/programs/config/config-path.ts'
import { formatConfigTree, type ConfigTree } from '../../../shared/programs/config/config-tree.ts'
import { openStackConfig, type StackConfig } from '../../../shared/programs/config/stack-config.ts'
import { parseProject } from '../../../shared/programs/project/project-file.ts'
import { type FuzzTarget, requireLaw } from '../fuzz-target.ts'

const valuesOf = (config: StackConfig): string =>
  [...config.getValues()]
    .map(([key, value]) => `${key}=${formatConfigTree(value as ConfigTree)}`)
    .join('\n')

function checkStackFile(text: string, file: string): void {
  const config = openStackConfig(text, file, 'shop')
  const reopened = openStackConfig(config.format(), file, 'shop')
  requireLaw(valuesOf(reopened) === valuesOf(config), 'a formatted stack file has the same values')
}

/**
 * Configuration: the first line is the name of the file, and the rest its text. The name `path`
 * stands for a path of a configuration value.
 */
export const configurationTarget: FuzzTarget = {
  decode(input) {
    const [name = '', ...lines] = new TextDecoder().decode(input).split('\n')
    const text = lines.join('\n')
    if (name === 'path') parseConfigPath(text)
    else if (name === 'Pulumi.yaml') parseProject(text, '/shop/Pulumi.yaml')
    else checkStackFile(text, name.endsWith('.json') ? 'Pulumi.dev.json' : 'Pulumi.dev.yaml')
  },
}
