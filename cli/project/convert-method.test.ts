import { expect, test } from 'vitest'
import { convertProgramMethod } from './convert-method.ts'

test('the request to a converter has the fields of the service of Pulumi', () => {
  const request = {
    ...{ sourceDirectory: 'a', targetDirectory: 'b', mapperTarget: 'c', loaderTarget: 'd' },
    ...{ args: ['e', 'é'], generatedProjectDirectory: 'g' },
  }
  const bytes = convertProgramMethod.requestSerialize(request)
  expect(bytes.toString('hex')).toBe('0a01611201621a0163220164' + '2a01652a02c3a9' + '320167')
  expect(convertProgramMethod.requestDeserialize(bytes)).toEqual(request)
  const unknownField = Buffer.from('3a0178', 'hex')
  expect(convertProgramMethod.requestDeserialize(unknownField)).toMatchObject({ args: [] })
})
