import {
  createBlock,
  createNestedAttribute,
  createNestedBlock,
  createPlainAttribute,
} from '../values/schema.fixture.ts'
import { propertyNamesOf } from './property-names.ts'

const port = createPlainAttribute('o', '"number"')
const key = createPlainAttribute('o')

/** A resource type with every kind of attribute and block that the mapping treats differently. */
export const firewallBlock = createBlock(
  {
    id: createPlainAttribute('c'),
    name: createPlainAttribute('r'),
    ip_range: createPlainAttribute('o', '["set","string"]'),
    open_port: createPlainAttribute('o', '["list","number"]'),
    user_labels: createPlainAttribute('o', '["map",["object",{"a_key":"string"}]]'),
    owner: createPlainAttribute(
      'o',
      '["object",{"full_name":"string","phone_number":["list","string"]}]',
    ),
    version_pair: createPlainAttribute('o', '["tuple",["string",["object",{"is_new":"bool"}]]]'),
    extra: createPlainAttribute('o', '"dynamic"'),
    api_token: createPlainAttribute('os'),
    entry: createNestedAttribute('o', 'list', {
      entry_key: key,
      secret_key: createPlainAttribute('os'),
    }),
    conf: createNestedAttribute('o', 'single', { conf_key: key }),
  },
  {
    rule: createNestedBlock(
      'list',
      createBlock({ from_port: port }, { target: createNestedBlock('list', createBlock({ key })) }),
    ),
    rate_limit: createNestedBlock('list', createBlock({ max_rate: port }), { maxItems: 1 }),
    gateway: createNestedBlock('set', createBlock({ key_name: key }), { maxItems: 1 }),
    policy: createNestedBlock('set', createBlock({ key, pass_phrase: createPlainAttribute('os') })),
    route: createNestedBlock('map', createBlock({ to_host: key })),
    box: createNestedBlock('single', createBlock({ key })),
    group_box: createNestedBlock('group', createBlock({ key })),
    free: createNestedBlock(
      'list',
      createBlock({ any_value: createPlainAttribute('o', '"dynamic"') }),
    ),
  },
)

export const firewallNames = propertyNamesOf(firewallBlock)
