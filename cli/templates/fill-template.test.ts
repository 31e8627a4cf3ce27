import { parse } from 'yaml'
import { expect, test } from 'vitest'
import { builtInTemplates } from './built-in-templates.ts'
import { fillTemplate } from './fill-template.ts'
import { createTextTemplate } from './project-template.ts'

const project = { name: 'shop', description: 'A: "quoted" # text with $& in it' }

test.each(builtInTemplates.map(template => [template.name, template] as const))(
  'fillTemplate fills every placeholder of the template %s',
  (_name, template) => {
    const { files, values } = fillTemplate(template, project)
    expect([...files.values()].map(({ content }) => content).join('\n')).not.toMatch(
      /\$\{(PROJECT|DESCRIPTION)\}/,
    )
    expect(parse(String(files.get('Pulumi.yaml')?.content))).toMatchObject(project)
    expect(values).toEqual([
      {
        key: 'greeting',
        description: 'A text that the program exports',
        defaultText: 'hello',
        isSecret: false,
      },
    ])
  },
)

test('fillTemplate removes the template section and an empty description', () => {
  const text =
    'name: x # kept\ndescription: y\ntemplate:\n  config:\n    pw: {secret: true}\n    n: 3\n'
  const template = createTextTemplate('t', '', new Map([['Pulumi.yaml', text]]))
  const filled = fillTemplate(template, { name: 'shop', description: '' })
  expect(filled.files.get('Pulumi.yaml')?.content).toBe('name: shop # kept\n')
  expect(filled.values).toEqual([
    { key: 'pw', description: '', defaultText: '', isSecret: true },
    { key: 'n', description: '', defaultText: '3', isSecret: false },
  ])
})
