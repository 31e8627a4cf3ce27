import {
  fieldsOf,
  isList,
  isObject,
  isSorted,
  itemsOf,
  type Ordered,
  textField,
} from './ordered-json.ts'
import { checkValue, isUrn, type Report, type ValueContext } from './value-rules.ts'

type Form = 'text' | 'flag' | 'texts' | 'urn' | 'urns' | 'time' | 'values' | 'value' | 'object'

/** The fields of a resource in their order (state.md 1.5). */
const fields: readonly (readonly [name: string, form: Form])[] = [
  ['urn', 'urn'],
  ['custom', 'flag'],
  ['delete', 'flag'],
  ['id', 'text'],
  ['type', 'text'],
  ['inputs', 'values'],
  ['outputs', 'values'],
  ['parent', 'urn'],
  ['protect', 'flag'],
  ['taint', 'flag'],
  ['external', 'flag'],
  ['dependencies', 'urns'],
  ['initErrors', 'texts'],
  ['provider', 'text'],
  ['propertyDependencies', 'object'],
  ['pendingReplacement', 'flag'],
  ['additionalSecretOutputs', 'texts'],
  ['aliases', 'urns'],
  ['customTimeouts', 'object'],
  ['importID', 'text'],
  ['retainOnDelete', 'flag'],
  ['deletedWith', 'urn'],
  ['replaceWith', 'urns'],
  ['created', 'time'],
  ['modified', 'time'],
  ['sourcePosition', 'text'],
  ['stackTrace', 'object'],
  ['ignoreChanges', 'texts'],
  ['hideDiff', 'texts'],
  ['replaceOnChanges', 'texts'],
  ['replacementTrigger', 'value'],
  ['refreshBeforeUpdate', 'flag'],
  ['viewOf', 'urn'],
  ['resourceHooks', 'object'],
  ['extensionRef', 'text'],
  ['snippetID', 'text'],
]

const hookTypes = [
  'BeforeCreate',
  'AfterCreate',
  'BeforeUpdate',
  'AfterUpdate',
  'BeforeDelete',
  'AfterDelete',
  'OnError',
]

const utcTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,8}[1-9])?Z$/

/** Whether a value is one that Go leaves out where it may. */
export function isEmpty(value: Ordered): boolean {
  if (value === null || value === false || value === 0 || value === '') return true
  return isList(value) ? value.length === 0 : isObject(value) && value.fields.length === 0
}

/** Checks that the fields of an object are known, in order, and none twice. */
export function checkOrder(
  value: Ordered,
  where: string,
  rules: { readonly report: Report; readonly order: readonly string[] },
): void {
  let last = -1
  for (const [name] of fieldsOf(value)) {
    const rank = rules.order.indexOf(name)
    if (rank < 0) rules.report(where, `the field '${name}' is not known`)
    else if (rank <= last) rules.report(where, `the field '${name}' is out of order`)
    last = Math.max(last, rank)
  }
}

/** Checks one resource in itself; what it refers to is checked elsewhere. */
export function checkResource(resource: Ordered, where: string, context: ValueContext): void {
  const { report } = context
  checkOrder(resource, where, { report, order: fields.map(([name]) => name) })
  const given = new Map(fieldsOf(resource))
  for (const name of ['urn', 'custom', 'type'])
    if (!given.has(name)) report(where, `the field '${name}' is missing`)
  for (const [name, form] of fields) {
    const value = given.get(name)
    if (value === undefined) continue
    if (name !== 'custom' && form !== 'value' && isEmpty(value))
      report(where, `the field '${name}' is empty and should be left out`)
    checkForm(value, `${where}.${name}`, form, context)
  }
  checkIdentity(resource, where, report)
  checkTimeouts(given.get('customTimeouts'), `${where}.customTimeouts`, report)
  checkLists(given, where, report)
}

function checkForm(
  value: Ordered,
  where: string,
  ...[form, context]: [form: Form, context: ValueContext]
): void {
  const { report } = context
  if (form === 'value' || form === 'values') {
    if (form === 'value' && value === null) report(where, 'it is null and should be left out')
    if (form === 'values' && !isObject(value)) report(where, 'it is not an object')
    checkValue(value, where, context)
  } else if (form === 'flag') {
    if (typeof value !== 'boolean') report(where, 'it is neither true nor false')
  } else if (form === 'texts' || form === 'urns') checkTexts(value, where, { form, report })
  else if (form !== 'object') checkText(value, where, { form, report })
}

interface FormRule {
  readonly form: Form
  readonly report: Report
}

function checkTexts(value: Ordered, where: string, { form, report }: FormRule): void {
  if (!isList(value)) report(where, 'it is not a list')
  for (const item of itemsOf(value))
    checkText(item, where, { form: form === 'urns' ? 'urn' : 'text', report })
}

function checkText(value: Ordered, where: string, { form, report }: FormRule): void {
  if (typeof value !== 'string') report(where, 'it is not a text')
  else if (form === 'urn' && !isUrn(value)) report(where, `'${value}' is not a URN`)
  else if (form === 'time' && !utcTime.test(value))
    report(where, `'${value}' is not a time in UTC without trailing zeros`)
}

function checkIdentity(resource: Ordered, where: string, report: Report): void {
  const given = new Map(fieldsOf(resource))
  const urn = textField(resource, 'urn')
  const type = textField(resource, 'type')
  const id = textField(resource, 'id')
  const qualified = urn.split('::')[2] ?? ''
  if (qualified.slice(qualified.lastIndexOf('$') + 1) !== type)
    report(where, `its type '${type}' is not that of its URN`)
  if (given.get('custom') === false && id !== '') report(where, 'it is a component with an id')
  if (id === 'unconfigured') report(where, 'an internal id was written')
  if (type.startsWith('pulumi:providers:')) {
    const outputs = fieldsOf(given.get('outputs'))
    if (outputs.some(([key]) => key === '__internal'))
      report(where, 'the outputs of a provider hold __internal')
  }
}

function checkTimeouts(value: Ordered | undefined, where: string, report: Report): void {
  if (value === undefined) return
  checkOrder(value, where, { report, order: ['create', 'update', 'delete', 'read'] })
  for (const [name, seconds] of fieldsOf(value))
    if (typeof seconds !== 'number' || seconds === 0) report(where, `'${name}' is no time limit`)
}

function checkLists(given: ReadonlyMap<string, Ordered>, where: string, report: Report): void {
  for (const name of ['propertyDependencies', 'resourceHooks']) {
    const keys = fieldsOf(given.get(name)).map(([key]) => key)
    if (!isSorted(keys)) report(`${where}.${name}`, 'its keys are not sorted by bytes')
    for (const [key, list] of fieldsOf(given.get(name))) {
      const place = `${where}.${name}.${key}`
      if (list === null && name === 'propertyDependencies') continue
      checkTexts(list, place, { form: name === 'resourceHooks' ? 'texts' : 'urns', report })
      if (name === 'resourceHooks' && !hookTypes.includes(key))
        report(place, 'there is no such hook')
    }
  }
  for (const [at, frame] of itemsOf(given.get('stackTrace')).entries()) {
    const place = `${where}.stackTrace[${at}]`
    checkOrder(frame, place, { report, order: ['sourcePosition'] })
    for (const [name, value] of fieldsOf(frame))
      if (isEmpty(value)) report(place, `the field '${name}' is empty and should be left out`)
  }
}
