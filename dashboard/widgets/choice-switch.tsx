import { ToggleButton, ToggleButtonGroup } from 'react-aria-components'

/** Shows a choice of one of a few words. The arrow keys select another one. */
export function ChoiceSwitch<Choice extends string>(props: {
  label: string
  choices: readonly (readonly [Choice, string])[]
  value: Choice
  onChange: (choice: Choice) => void
}) {
  const { label, choices, value, onChange } = props
  return (
    <ToggleButtonGroup
      className="choice-switch"
      aria-label={label}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={keys => {
        const next = choices.find(([choice]) => keys.has(choice))
        if (next !== undefined) onChange(next[0])
      }}
    >
      {choices.map(([choice, word]) => (
        <ToggleButton key={choice} id={choice}>
          {word}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  )
}
