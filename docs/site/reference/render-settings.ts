/** The reference of the configuration keys of Antichain itself. */
import {
  callLimitRulesForm,
  callLimitsKey,
  limitedCalls,
} from '../../../shared/programs/config/call-limit-rules.ts'
import { previewRoleKey, roleKey } from '../../../shared/runtime/credentials/stack-role.ts'
import { renderShape } from './format-shape.ts'

/** The keys in the namespace `antichain`, with their meaning. */
export const settings: readonly (readonly [key: string, meaning: string])[] = [
  [
    callLimitsKey,
    `rules that limit the rate and the concurrency of provider calls (${limitedCalls.join(', ')}). See [limits of provider calls](../limits.md)`,
  ],
  [
    roleKey,
    'on AWS: the role whose permissions the program and the providers of the stack have. See [Antichain on AWS](../aws.md)',
  ],
  [previewRoleKey, `on AWS: the role of previews. Default: the one of \`${roleKey}\``],
]

/** Renders the page of the keys in a stack's configuration that Antichain itself reads. */
export function renderSettings(): string {
  const rows = settings.map(([key, meaning]) => `| \`${key}\` | ${meaning} |`)
  return [
    '# Configuration keys',
    introduction,
    ['| Key | Meaning |', '|---|---|', ...rows].join('\n'),
    `## ${callLimitsKey}`,
    `The value is a list of rules. The shape of the list:\n\n${renderShape(callLimitRulesForm, 'input')}`,
  ].join('\n\n')
}

const introduction = `This page is generated from the code that reads these keys. They belong to the
configuration of a stack, in \`Pulumi.<stack>.yaml\`. The
[environment variables](../operations.md#environment-variables) are on another page.`
