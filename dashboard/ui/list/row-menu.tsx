import { ActionIcon, Menu } from '@mantine/core'
import { DotsHorizontalIcon } from '@radix-ui/react-icons'
import { useRef } from 'react'

export type RowAction = { label: string; isDangerous?: boolean; run: () => void }

/** The actions on a row, behind one button. `label` names the row. */
export function RowMenu({ label, actions }: { label: string; actions: readonly RowAction[] }) {
  const button = useRef<HTMLButtonElement>(null)
  if (actions.length === 0) return null
  /** A dialog returns the focus to where it was: not to a menu item, which is gone by then. */
  const choose = (run: () => void): void => {
    button.current?.focus()
    run()
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon ref={button} variant="subtle" color="neutral" c="var(--mantine-color-dimmed)" aria-label={label}>
          <DotsHorizontalIcon aria-hidden="true" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ label, isDangerous, run }) => (
          <Menu.Item key={label} {...(isDangerous && { c: 'red' })} onClick={() => choose(run)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
