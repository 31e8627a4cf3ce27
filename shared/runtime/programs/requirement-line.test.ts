import { expect, test } from 'vitest'
import { classifyRequirement, listRequirementLines } from './requirement-line.ts'

test.each([
  ...['./lib', '../lib', '/opt/lib', '.', '.[dev]', 'libs/common', '~/lib', 'lib[dev]/x'],
  ...['lib @ file:///opt/lib', 'lib @ ./lib', 'lib @ ${HOME}/lib', 'git+file:///opt/lib'],
  ...['vendor/x-1.0-py3-none-any.whl', 'x-1.0-py3-none-any.whl', 'x-1.0.tar.gz', 'x.ZIP ; a'],
  ...['--find-links wheels', '-f wheels', '--pre --find-links=wheels', 'lib --config-settings x=y'],
  ...['--index-url file:///opt/index', '-i index', '-r a.txt -r b.txt', 'pulumi six'],
  ...['-r https://a.test/b.txt', '-r "a.txt"', '-r a\\.txt', '-c ${HOME}/a.txt', '-rfile:a.txt'],
  ...[
    'lib[/../lib]',
    'lib == 1.zip',
    'lib\t--hash=/../lib',
    '--only-binary :no""ne:',
    'lib\u00a0>1',
  ],
])('the requirement %s counts as local', line => {
  expect(classifyRequirement(line)).toEqual({ kind: 'local' })
})

test.each([
  ...['pulumi', 'pulumi>=3,<4', 'pulumi (>=3, <4)', 'pulumi [a,b] == 3.*', 'a.b_c-d~=1.0'],
  ...['pulumi; python_version < "3.9" and extra == "a/b"', 'lib===1.0+local'],
  ...['lib @ https://example.com/lib.whl', 'lib[a]@https://example.com/lib.whl ; a == "b"'],
  ...['https://example.com/lib.whl', 'git+https://example.com/lib.git@main#egg=lib'],
  ...['git+ssh://git@example.com/lib.git', '--index-url https://example.com/simple'],
  ...['--extra-index-url=https://example.com/simple --pre', '--only-binary :all: --prefer-binary'],
  ...['--no-binary=:none:', '--trusted-host example.com', '-i https://example.com'],
])('the line %s names no local file', line => {
  expect(classifyRequirement(line)).toMatchObject({ kind: 'named', hasHash: false })
})

test.each(['pulumi==3 --hash=sha256:00 --hash=sha256:01', '--require-hashes'])(
  'the line %s makes pip demand hashes',
  line => {
    expect(classifyRequirement(line)).toMatchObject({ kind: 'named', hasHash: true })
  },
)

test('lines are joined at backslashes, but not at those of comments', () => {
  const text = '# a \\\n-e .\r\nlib==1 \\\n  --hash=x # why\n\nhttps://a/b#egg=c\n'
  expect(listRequirementLines(text)).toEqual(['-e .', 'lib==1   --hash=x', 'https://a/b#egg=c'])
})

test('lines end where Python ends them, and a continued line gets no space', () => {
  const lines = listRequirementLines('# a\u001c./b\u001d./c\u001e./d\nlib==1\\\n.zip\n')
  expect(lines).toEqual(['./b', './c', './d', 'lib==1.zip'])
})

test.each([
  ['pulumi', false, false],
  ['pulumi==3 --hash=sha256:00', false, false],
  ['--only-binary :all:', false, false],
  ['--only-binary=:none:', true, false],
  ['--no-binary :all:', true, false],
  ['lib @ https://example.com/lib.whl', true, false],
  ['git+https://example.com/lib.git', true, false],
  ['-i https://example.com/simple', false, true],
  ['--extra-index-url=https://example.com/simple', false, true],
  ['--trusted-host example.com', false, true],
])('the line %s may make pip build a package: %s, and sets an index: %s', (...row) => {
  const [line, mayBuild, setsIndex] = row
  expect(classifyRequirement(line)).toMatchObject({ kind: 'named', mayBuild, setsIndex })
})
