import {
  blockWith,
  nestedAttribute,
  nestedBlock,
  plainAttribute,
} from '../values/schema.fixture.ts'
import { propertyNamesOf } from './property-names.ts'

const port = plainAttribute('o', '"number"')
const key = plainAttribute('o')

/** A resource type with every kind of attribute and block that the mapping treats differently. */
export const firewallBlock = blockWith(
  {
    id: plainAttribute('c'),
    name: plainAttribute('r'),
    ip_range: plainAttribute('o', '["set","string"]'),
    open_port: plainAttribute('o', '["list","number"]'),
    user_labels: plainAttribute('o', '["map",["object",{"a_key":"string"}]]'),
    owner: plainAttribute(
      'o',
      '["object",{"full_name":"string","phone_number":["list","string"]}]',
    ),
    version_pair: plainAttribute('o', '["tuple",["string",["object",{"is_new":"bool"}]]]'),
    extra: plainAttribute('o', '"dynamic"'),
    api_token: plainAttribute('os'),
    entry: nestedAttribute('o', 'list', { entry_key: key, secret_key: plainAttribute('os') }),
    conf: nestedAttribute('o', 'single', { conf_key: key }),
  },
  {
    rule: nestedBlock(
      'list',
      blockWith({ from_port: port }, { target: nestedBlock('list', blockWith({ key })) }),
    ),
    rate_limit: nestedBlock('list', blockWith({ max_rate: port }), { maxItems: 1 }),
    gateway: nestedBlock('set', blockWith({ key_name: key }), { maxItems: 1 }),
    policy: nestedBlock('set', blockWith({ key, pass_phrase: plainAttribute('os') })),
    route: nestedBlock('map', blockWith({ to_host: key })),
    box: nestedBlock('single', blockWith({ key })),
    group_box: nestedBlock('group', blockWith({ key })),
    free: nestedBlock('list', blockWith({ any_value: plainAttribute('o', '"dynamic"') })),
  },
)

export const firewallNames = propertyNamesOf(firewallBlock)
