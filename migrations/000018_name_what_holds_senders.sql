-- The provider's code for which a sender is held; null when it named none, and for holds of before.
alter table sender_pace add column held_by_code integer;
