package api

import (
	"net/http"
	"slices"
	"time"

	"confidant/internal/chat"
	"confidant/internal/ident"
)

// The limits of a folder, in characters.
const (
	maxFolderName        = 100
	maxFolderDescription = 2000
)

func (s *Server) folderRoutes() map[string]handler {
	return map[string]handler{
		"GET /api/folders":         s.listFolders,
		"POST /api/folders":        s.createFolder,
		"PATCH /api/folders/{id}":  s.changeFolder,
		"DELETE /api/folders/{id}": s.deleteFolder,
	}
}

func (s *Server) listFolders(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	all, err := s.folders.Folders(r.Context(), user.ID)
	return list("folders", all, ""), err
}

type folderBody struct {
	Name        field[string] `json:"name"`
	Description field[string] `json:"description"`
	Revision    field[int64]  `json:"revision"`
}

// saveFolder stores a folder with what a body says of it.
func (s *Server) saveFolder(r *http.Request, f chat.Folder, in folderBody) (chat.Folder, error) {
	in.Name.set(&f.Name)
	in.Description.set(&f.Description)
	var err error
	if f.Name, err = line("name", f.Name, maxFolderName); err != nil {
		return f, err
	}
	if err := within("description", f.Description, maxFolderDescription); err != nil {
		return f, err
	}
	if err := s.folders.SaveFolders(r.Context(), f.UserID, chat.Changes[chat.Folder]{Put: []chat.Folder{f}}); err != nil {
		return f, err
	}
	f.Revision++
	return f, nil
}

func (s *Server) createFolder(w http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	var in folderBody
	if err := s.readJSON(w, r, &in); err != nil {
		return nil, err
	}
	f, err := s.saveFolder(r, chat.Folder{ID: ident.New(), UserID: user.ID, CreatedAt: time.Now().UTC()}, in)
	return created{f}, err
}

func (s *Server) folder(r *http.Request, user chat.User) (chat.Folder, error) {
	all, err := s.folders.Folders(r.Context(), user.ID)
	if err != nil {
		return chat.Folder{}, err
	}
	i := slices.IndexFunc(all, func(f chat.Folder) bool { return f.ID == r.PathValue("id") })
	if i < 0 {
		return chat.Folder{}, chat.ErrNotFound
	}
	return all[i], nil
}

func (s *Server) changeFolder(w http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	var in folderBody
	if err := s.readJSON(w, r, &in); err != nil {
		return nil, err
	}
	f, err := s.folder(r, user)
	if err != nil {
		return nil, err
	}
	if err := unchanged(in.Revision, f.Revision); err != nil {
		return nil, err
	}
	return s.saveFolder(r, f, in)
}

func (s *Server) deleteFolder(_ http.ResponseWriter, r *http.Request, user chat.User) (any, error) {
	f, err := s.folder(r, user)
	if err != nil {
		return nil, err
	}
	return nil, s.folders.SaveFolders(r.Context(), user.ID, chat.Changes[chat.Folder]{Remove: []string{f.ID}})
}
