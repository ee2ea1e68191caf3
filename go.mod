module confidant

go 1.26
