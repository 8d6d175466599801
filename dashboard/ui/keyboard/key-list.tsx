import { Kbd, Modal, Stack, Switch, Table, Text } from '@mantine/core'
import { useTexts } from '../../texts/use-texts.ts'

type Props = {
  paletteKey: string
  onClose: () => void
  isOn: boolean
  onTurn: (isOn: boolean) => void
}

/** Which keys do what. Loaded when it is opened. */
export function KeyList({ paletteKey, onClose, isOn, onTurn }: Props) {
  const { t } = useTexts()
  const rows = [
    [[paletteKey, '/'], t('page_keyboard.key_palette')],
    [['j', 'k'], t('page_keyboard.key_rows')],
    [['Enter'], t('page_keyboard.key_open')],
    [['Esc'], t('page_keyboard.key_close')],
    [['z'], t('page_keyboard.key_undo')],
    [['?'], t('page_keyboard.key_list')],
  ] as const
  return (
    <Modal opened onClose={onClose} title={t('page_keyboard.shortcuts')}>
      <Stack>
        <Table withRowBorders={false} verticalSpacing={6} horizontalSpacing={0}>
          <Table.Tbody>
            {rows.map(([keys, does]) => (
              <Table.Tr key={does}>
                <Table.Th scope="row" fw={400}>
                  {does}
                </Table.Th>
                <Table.Td ta="end" style={{ whiteSpace: 'nowrap' }}>
                  {keys.map((key) => (
                    <Kbd key={key} ms={6} dir="ltr">
                      {key}
                    </Kbd>
                  ))}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Switch
          checked={isOn}
          onChange={({ currentTarget }) => onTurn(currentTarget.checked)}
          label={t('page_keyboard.single_keys')}
        />
        <Text size="sm" c="dimmed">
          {t('page_keyboard.single_keys_about')}
        </Text>
      </Stack>
    </Modal>
  )
}
